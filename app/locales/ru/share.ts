import type { share as english } from '../en/share.ts';
import type { Russian } from '../russian.ts';

export const share = {
  gives: '{{channel}} дарит предметы Steam зрителям, которые остаются',
  rewardsLeft_one: 'Осталась <b>{{count}}</b> награда',
  rewardsLeft_few: 'Осталось <b>{{count}}</b> награды',
  rewardsLeft_many: 'Осталось <b>{{count}}</b> наград',
  rewardsLeft_other: 'Осталось <b>{{count}}</b> награды',
  inRules_one: 'в {{count}} правиле',
  inRules_few: 'в {{count}} правилах',
  inRules_many: 'в {{count}} правилах',
  inRules_other: 'в {{count}} правиле',
  noneLeft: 'Сейчас нечего заработать',
  leftOf: 'Осталось <b>{{free}} из {{total}}</b>',
  openSince: 'Открыто с {{date}}',
  onChannel: 'на канале {{channel}}',
  deliveredOn: 'Вручено {{date}}',
  proofOf: 'Розыгрыши правила «{{rule}}»',
  drawOf: 'Розыгрыш {{number}} правила «{{rule}}»',
  check: 'Проверить может каждый',
  drawnOn: 'Розыгрыш {{date}}',
  revealedOn: 'Ключ раскрыт {{date}}',
  sealedSince: 'Ключ закрыт с {{date}}',
  unaffiliated: 'Не связано с Twitch и Valve',
  picture: {
    channel: '{{channel}} на Keepsake: предметы, которые могут заработать зрители',
    rule: '«{{rule}}» на канале {{channel}}: предмет, который могут заработать зрители',
    proof: 'Отпечаток розыгрышей правила «{{rule}}»',
    win: '{{item}} – награда на канале {{channel}}',
    site: 'Keepsake: предметы Steam в награду зрителям Twitch',
  },
  description: {
    rule: 'Что нужно сделать зрителям канала {{channel}}, чтобы получить награду по правилу «{{rule}}», и сколько наград осталось.',
    proof: 'Все розыгрыши правила «{{rule}}» на канале {{channel}} и всё, что нужно для проверки.',
    draw: 'Розыгрыш {{number}} правила «{{rule}}» на канале {{channel}}: из чего выбирали, результат и отпечаток.',
    win: '{{item}} – награда на канале {{channel}}, вручена через Keepsake.',
    faq: 'Как зрители зарабатывают предметы Steam на каналах Twitch, как предметы хранят и отправляют и что значит каждое условие.',
    terms: 'Условия, на которых стримеры и зрители пользуются Keepsake.',
    privacy: 'Что Keepsake хранит о вас, зачем и как долго, и как получить эти данные или удалить их.',
    cookies: 'Какие файлы cookie ставит Keepsake, зачем и на какой срок.',
    contact:
      'Задайте вопрос, сообщите о проблеме с предметом или обменом, свяжитесь с теми, кто ведёт этот сайт.',
    signin: 'Войдите, чтобы получить награды или управлять предметами и правилами.',
    signup:
      'Создайте аккаунт, чтобы зарабатывать предметы Steam за просмотр или награждать зрителей своего канала.',
    apiDocs: 'API Keepsake: все вызовы, их параметры и ответы.',
  },
} satisfies Russian<typeof english>;
