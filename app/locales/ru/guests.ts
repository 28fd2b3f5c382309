import type { guests as english } from '../en/guests.ts';
import type { Russian } from '../russian.ts';

export const guests = {
  title: 'Гости',
  lede: 'Стримеры, которые могут создавать правила на вашем канале. Их правила используют ваше подключение к Twitch и их собственные предметы.',
  login: 'Логин на Twitch',
  loginHint:
    'Как в адресе twitch.tv/логин. У стримера должен быть здесь аккаунт, подключённый к этому логину.',
  admit: 'Дать доступ',
  admitTitle: 'Дать доступ стримеру',
  admitted: '{{name}} теперь может создавать правила на вашем канале',
  list: 'У кого есть доступ',
  emptyTitle: 'Гостей нет',
  empty: 'Правила на вашем канале создаёте только вы. Дайте доступ другому стримеру по логину Twitch.',
  noTwitchTitle: 'Канала пока нет',
  noTwitch: 'Подключите аккаунт Twitch, чтобы дать доступ другим стримерам.',
  name: 'Стример',
  unlinked: 'Стример без Twitch',
  since: 'Доступ с',
  rules: 'Правила здесь',
  act: 'Закрыть доступ',
  question: 'Закрыть доступ: {{name}}?',
  text: 'Правила гостя на вашем канале сразу приостановятся. Обещанные награды всё ещё можно получить.',
  textRules_one: 'Приостановится {{count}} правило',
  textRules_few: 'Приостановятся {{count}} правила',
  textRules_many: 'Приостановятся {{count}} правил',
  textRules_other: 'Приостановятся {{count}} правила',
  dismiss: 'Закрыть доступ: {{name}}',
  keep: 'Оставить',
  dismissedUnlinked: 'Стример больше не может создавать правила на вашем канале',
  dismissed: '{{name}} больше не может создавать правила на вашем канале',
} satisfies Russian<typeof english>;
