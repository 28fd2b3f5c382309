import type { auth as english } from '../en/auth.ts';
import type { Russian } from '../russian.ts';

export const auth = {
  promise: {
    heading: 'Всё заслуженное записано',
    bar: 'Полоса для каждого условия, минута за минутой',
    deadline: 'Срок с датой и никаких уловок с часами',
    code: 'Код, который можно сверить до принятия предложения',
  },
} satisfies Russian<typeof english>;
