import type { api as english } from '#app/locales/en/api.ts';
import type { Russian } from '#app/locales/russian.ts';

export const api = {
  title: {
    badRequest: 'Не удалось прочитать запрос',
    unauthorized: 'Вход не выполнен',
    forbidden: 'Не разрешено',
    notFound: 'Не найдено',
    methodNotAllowed: 'Метод не поддерживается',
    notAcceptable: 'Формат ответа не поддерживается',
    conflict: 'Сейчас это невозможно',
    gone: 'Больше не действует',
    bodyTooLarge: 'Слишком большое тело запроса',
    unsupportedMediaType: 'Тип данных не поддерживается',
    invalid: 'Данные неверны',
    tooMany: 'Слишком много запросов',
    unavailable: 'Сейчас недоступно',
    failed: 'Ошибка',
  },
  badJson: 'Тело запроса — не JSON в UTF-8.',
  badDocument: 'Тело запроса — не документ JSON:API: нужен «data» с «type» и «attributes».',
  badParameter: 'Параметр не принимает такое значение.',
  unknownParameter: 'Такого параметра здесь нет.',
  sessionReplaced:
    'Эта сессия только что получила новую cookie, и ничего не сделано. Повторите вызов с новой cookie.',
  badToken: 'Токен неизвестен или отозван.',
  csrfMismatch:
    'Сначала запросите /sanctum/csrf-cookie и отправьте значение XSRF-TOKEN в заголовке X-XSRF-TOKEN.',
  clientId: 'Идентификатор назначает сервер: не указывайте «id».',
  methodNotAllowed: 'Этот адрес не поддерживает такой метод.',
  notAcceptable: 'Ответы — application/vnd.api+json без параметров.',
  wrongId: 'id в документе не совпадает с адресом.',
  wrongType: 'Этот адрес принимает документы другого типа.',
  bodyTooLarge: 'Тело запроса — не больше 64 КиБ.',
  unsupportedMediaType: 'Отправляйте application/json или application/vnd.api+json без параметров.',
  unknownField: 'Такого поля нет, или его нельзя менять.',
  timedOut: 'Запрос выполнялся больше 30 секунд.',
  sessionNeeded: 'У аккаунта нет пароля, чтобы подтвердить это. Войдите на сайте и сделайте это в профиле.',
  tokenUnconfirmable:
    'Токен API подтвердить нельзя. Войдите через POST /api/v1/login: такая сессия подтверждена на десять минут.',
  badRequestId: 'Idempotency-Key — это UUID версии 7, созданный за последние сутки.',
  passwordsDiffer: 'Пароли должны совпадать.',
  docs: {
    title: 'API',
    lede: 'Почти всё, что можно сделать на сайте, доступно программам в формате JSON:API. Только на сайте: подключение Steam, сессии, токены, выгрузка данных и удаление аккаунта. Машиночитаемое описание со всеми типами и ограничениями:',
    signingIn: 'Как обращаться',
    cookies:
      'С cookie: перед каждым вызовом, который что-то меняет, запросите /sanctum/csrf-cookie и отправьте значение cookie XSRF-TOKEN в заголовке X-XSRF-TOKEN.',
    tokens:
      'С токеном: отправьте его как Authorization: Bearer. Токены создаются в настройках или выдаются в обмен на код со страницы /extension/code. XSRF-TOKEN тогда не нужен.',
    bodies:
      'Тело — простой объект JSON с полями ниже (application/json) или документ JSON:API с этими полями в attributes (application/vnd.api+json). Любой ответ — application/vnd.api+json.',
    lists:
      'Списки приходят страницами: page[size] до 100, links.next ведёт на следующую. fields[type] выбирает поля, include добавляет связанные ресурсы, filter[name] сужает список.',
    repeats:
      'Вызов, который можно повторить, принимает Idempotency-Key — UUID версии 7: повтор с тем же ключом вернёт первый ответ.',
    links:
      'Ссылка из письма ведёт на страницу: GET /email/verify?token=… показывает кнопку и ничего не меняет, потому что ссылки открывают и почтовые сканеры. Подтверждает POST этой страницы или вызов с токеном, см. ниже.',
    endpoint: 'Вызов',
    fields: 'Тело',
    parameters: 'Параметры',
    refusals: 'Отказы',
    answer: 'В ответе:',
    resources: 'Ресурсы',
    resource: 'Ресурс',
    attributes: 'Атрибуты',
    relationships: 'Связи',
    optional: '(необязательно)',
    access: { anyone: 'все', signedIn: 'после входа', verified: 'подтверждённая почта' },
  },
} satisfies Russian<typeof english>;
