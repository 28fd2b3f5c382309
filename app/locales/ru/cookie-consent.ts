import type { cookieConsent as english } from '../en/cookie-consent.ts';
import type { Russian } from '../russian.ts';

export const cookieConsent = {
  title: 'Файлы cookie',
  description:
    'Наши файлы cookie нужны, чтобы вы оставались в аккаунте и чтобы сайт помнил язык и тему. Рекламы и слежки нет. Если появятся необязательные файлы, они загрузятся, только если вы примете все.',
  learn_more: 'Подробнее о файлах cookie',
  accept_all: 'Принять все',
  essential_only: 'Только необходимые',
} satisfies Russian<typeof english>;
