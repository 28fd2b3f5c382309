import type { cookieConsent as english } from '../en/cookie-consent.ts';
import type { Russian } from '../russian.ts';

export const cookieConsent = {
  title: 'Файлы cookie',
  description:
    'Несколько собственных файлов cookie сохраняют вход и помнят язык и тему. Рекламы и слежки здесь нет. Если когда-нибудь появится необязательный файл, он загрузится, только когда вы примете все.',
  learn_more: 'Подробнее',
  accept_all: 'Принять все',
  essential_only: 'Только необходимые',
} satisfies Russian<typeof english>;
