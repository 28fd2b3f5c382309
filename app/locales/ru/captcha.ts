import type { captcha as english } from '../en/captcha.ts';
import type { Russian } from '../russian.ts';

export const captcha = {
  label: 'Я не робот',
  verifying: 'Проверяем… Это займёт пару секунд.',
  verified: 'Проверка пройдена',
  error: 'Проверка не удалась. Попробуйте ещё раз.',
  expired: 'Проверка устарела. Попробуйте ещё раз.',
} satisfies Russian<typeof english>;
