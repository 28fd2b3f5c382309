import type * as en from './en.ts';

const plural = new Intl.PluralRules('ru');
const nouns: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'предмет', few: 'предмета' };
const items = (count: number): string => `${count} ${nouns[plural.select(count)] ?? 'предметов'}`;
const rewards: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'награда', few: 'награды' };

export const listing: typeof en.listing = {
  name: 'Keepsake для Steam и Twitch',
  description: 'Проверяет на странице обмена Steam, что предложение отправил ваш сайт Keepsake.',
};

export const verdict: typeof en.verdict = {
  by: 'Расширение Keepsake',
  verdicts: {
    reward: (channel) =>
      channel === null
        ? 'Это ваша награда. Вы ничего не отдаёте.'
        : `Это ваша награда от ${channel}. Вы ничего не отдаёте.`,
    return: () => 'Ваши предметы возвращаются. Вы ничего не отдаёте.',
    deposit: (count) => `Это ваша передача на хранение. Вы отдаёте ${items(count)}.`,
    imitated: 'Это не от Keepsake: не принимайте',
    altered: 'Это не то, что мы отправили: не принимайте',
    changed: 'Это уже не то предложение, что вам отправили: не отправляйте его',
    foreign: 'Это не предложение Keepsake: не принимайте его за наше',
    unknown: 'Проверить не удалось: пока не принимайте',
  },
  lines: {
    reward: (item, rule) => (rule === null ? item : `${item}, за выполнение «${rule}»`),
    return: (count) => `Ваши предметы, которые мы хранили: ${count}.`,
    deposit: (bot) => `${bot} хранит их для вас. Пока они никому не обещаны, их можно забрать.`,
    until: (date) => `Открыто до ${date}.`,
    imitated: 'Похоже на наше, но не наше. За награду никогда не просят ваших предметов.',
    altered: 'Номер, отправитель и код наши, а предметы нет.',
    changed: 'Его изменили на этой странице. Загрузите её заново, чтобы увидеть отправленное вам.',
    foreign: 'Здесь наше название, но такого предложения для вас у нас нет.',
  },
  feet: {
    good: 'Примите его кнопкой самого Steam. Расширение никогда не нажимает её за вас.',
    deposit: 'Это начали не вы? Отклоните и отзовите токены в настройках сайта.',
    imitated: 'Отклоните его в Steam.',
    altered: 'Отклоните его в Steam и сообщите сайту.',
    waits: ' Настоящая награда по-прежнему ждёт вас на сайте.',
    changed: '',
    foreign: 'Это от друга? Тогда Keepsake ни при чём: проверьте, что вы отдаёте.',
    unknown: 'О самом предложении это ничего не говорит. Сравните отправителя, код и предметы на сайте.',
  },
  facts: {
    sender: 'Отправитель',
    account: 'Ваш аккаунт Steam',
    code: 'Код',
    give: 'Вы отдаёте',
    receive: 'Вы получаете',
  },
  agree: {
    sender: (bot) => `${bot}, SteamID совпадает`,
    account: () => 'Тот, что подключён',
    code: (code) => `${code} совпадает`,
    give: (count) => (count === '0' ? 'Ничего' : `Именно выбранное: ${items(Number(count))}`),
    receive: (count) => (count === '0' ? 'Ничего' : `Ровно ${items(Number(count))}`),
  },
  differ: {
    sender: (here, ours) =>
      ours ? `Другой аккаунт. Наш: ${ours}, этот: ${here}` : `Не из ботов этого сайта: ${here}`,
    account: () => 'Не тот, которому его отправили',
    code: (here, ours) =>
      here === '' ? 'Нет' : ours === '' ? `${here}, нам не известен` : `Здесь ${here}, ваш ${ours}`,
    give: (here) => (here === '0' ? 'Ничего' : items(Number(here))),
    receive: (here) => (here === '0' ? 'Ничего' : `${items(Number(here))}, но не те`),
  },
  again: 'Проверить снова',
};

export const silences: typeof en.silences = {
  signedOut: 'Вход в расширение не выполнен. Нажмите на его значок.',
  revoked: 'Доступ отозван. Нажмите на значок, чтобы войти снова.',
  unverified: 'Сначала подтвердите почту на сайте.',
  reload: 'Расширение обновилось. Загрузите страницу заново.',
  unreachable: 'Сайт не ответил.',
  slow: 'Сайт не ответил вовремя.',
  busy: 'К сайту обращались слишком часто. Подождите минуту.',
  odd: 'Расширение не поняло ответ сайта. Одному из них нужно обновление.',
};

export const doubts: typeof en.doubts = {
  shape: 'Расширение не знает такого вида страницы Steam.',
  filling: 'Страница Steam показала не все предметы.',
  account: 'В Steam вы вошли не в тот аккаунт, который подключён на сайте.',
  noAccount: 'На сайте не подключён аккаунт Steam.',
  unnamed: 'Его отправил один из наших ботов, но среди ожидающих вас предложений его нет.',
  openIt: 'В этом списке видно не всё. Откройте предложение.',
};

export const panel: typeof en.panel = {
  title: 'Keepsake',
  instance: 'Адрес вашего сайта Keepsake',
  code: 'Код',
  getCode: 'Получить код на сайте',
  codeHint: 'Откройте на сайте «/extension/code», войдя там в аккаунт.',
  signIn: 'Войти',
  signOut: 'Выйти',
  signedIn: 'Вход на $1',
  signedInAs: 'Вход на $1: $2',
  badInstance: 'Это не адрес сайта, например keepsake.example.',
  failed: 'Не получилось. Попробуйте ещё раз с новым кодом.',
  notRevoked: 'Здесь вы вышли. Сайт не ответил: отзовите доступ в его настройках.',
  ready: 'Можно получить',
  nothingReady: 'Сейчас получать нечего.',
  claim: 'Получить на сайте',
  until: 'до $1',
  steam: 'Проверять предложения обмена на страницах Steam',
  twitch: 'Показывать прогресс на страницах каналов Twitch',
  turnOn: 'Включить',
  turnOff: 'Выключить',
  on: 'Включено',
  off: 'Выключено',
  reloadPages: 'Загрузите заново уже открытые страницы.',
  wait: 'Запрос к сайту…',
  lost: 'Браузер больше не разрешает этого. Там ничего не показывается.',
  limits:
    'В приложении и клиенте Steam, где чаще всего и принимают предложения, расширения не работают. Там открывайте предложение по ссылке с сайта и сами сравнивайте отправителя, код и предметы.',
  private:
    'Оно обращается только к вашему сайту, ничего о предложениях не хранит и ничего не нажимает за вас.',
};

export const twitch: typeof en.twitch = {
  label: 'Keepsake: прогресс на этом канале',
  ready: (count) => `Можно получить: ${count} ${rewards[plural.select(count)] ?? 'наград'}`,
  claim: 'Получить',
  of: (have, need) => `${have} из ${need}`,
  met: 'Все условия выполнены',
  inChat: {
    counted: 'сейчас в чате',
    uncounted: 'сейчас в чате, но время не засчитывается',
    absent: 'сейчас не в чате',
  },
  time: (hours, minutes) =>
    [hours && `${hours} ч`, (minutes || !hours) && `${minutes} мин`].filter(Boolean).join(' '),
};
