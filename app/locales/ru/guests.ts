import type { guests as english } from '../en/guests.ts';
import type { Russian } from '../russian.ts';

export const guests = {
  title: 'Гости',
  lede: 'Стримеры, которым вы разрешили вести правила на вашем канале. Их правила работают через ваше подключение к Twitch, предметы в них свои.',
  login: 'Логин на Twitch',
  loginHint:
    'Как в адресе twitch.tv/логин. У стримера должна быть учётная запись здесь, подключённая к нему.',
  admit: 'Разрешить',
  admitTitle: 'Разрешить стримеру',
  admitted: '{{name}} теперь может вести правила на вашем канале',
  list: 'Кому разрешено',
  emptyTitle: 'Гостей нет',
  empty: 'Правила на вашем канале ведёте только вы. Разрешить другому можно по логину на Twitch.',
  noTwitchTitle: 'Канала пока нет',
  noTwitch: 'Подключите аккаунт Twitch, и на его канал можно будет пускать других.',
  name: 'Стример',
  since: 'С какого времени',
  rules: 'Правил здесь',
  act: 'Отозвать',
  question: 'Отозвать разрешение у {{name}}?',
  text: 'Правила гостя на вашем канале сразу приостановятся. Обещанное остаётся обещанным.',
  textRules_one: 'Приостановится {{count}} правило',
  textRules_few: 'Приостановятся {{count}} правила',
  textRules_many: 'Приостановятся {{count}} правил',
  textRules_other: 'Приостановятся {{count}} правила',
  dismiss: 'Отозвать у {{name}}',
  keep: 'Оставить',
  dismissed: '{{name}} больше не ведёт правила на вашем канале',
} satisfies Russian<typeof english>;
