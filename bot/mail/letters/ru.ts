import type { PaidTier, Product } from '#db/schema/billing.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import type { StopReason } from '#db/schema/reward.ts';
import {
  billingUrl,
  channelUrl,
  confirmMessageUrl,
  contactUrl,
  custodyUrl,
  forgotUrl,
  type MailTexts,
  moment,
  money,
  profileUrl,
  proofUrl,
  resetUrl,
  rewardsUrl,
  rulesUrl,
  ruleUrl,
  signInUrl,
  transfersUrl,
  verifyUrl,
} from '../letter.ts';
import { accountChanged } from './ru-account-changes.ts';
import { toOperator } from './ru-operator.ts';

const products: Record<Product, string> = { streamer: 'Премиум для стримера', viewer: 'Премиум для зрителя' };
const tiers: Record<PaidTier, string> = { basic: 'Basic', expert: 'Expert', pro: 'Pro' };

const stopReasons: Record<StopReason, string> = {
  accountStolen: 'аккаунтом стримера пользовался кто-то другой',
  ruleAbused: 'боты или несколько аккаунтов одного человека',
  mistake: 'ошибка в правиле или награде',
};

const chatAdvice: Record<ChatFault, string> = {
  banned:
    'Бот забанен там или временно отстранён. Разбаньте его командой /unban, а затем сделайте модератором: /mod.',
  suspended: 'Twitch сообщает, что канал заблокирован или не существует.',
  restricted:
    'Сообщения в чате ограничены: только для отслеживающих, медленный режим, AutoMod или что-то подобное. Сделайте бота модератором командой /mod, и он сможет писать.',
  tooFast:
    'Боту пришлось бы писать чаще, чем разрешает Twitch. Сделайте его модератором командой /mod, и он сможет.',
  notAllowed:
    'Бот отвечает в большем числе чатов, чем Twitch разрешает без согласия стримеров. Впустите его в свой чат в настройках канала или сделайте модератором командой /mod.',
  shared:
    'Чат общий с другими каналами, и сообщения бота попали бы и туда, поэтому он молчит. Впустите его в настройках канала или сделайте модератором командой /mod, и его сообщения останутся в вашем чате; если это уже сделано, оператору сайта нужно заново подключить аккаунт бота.',
  notConnected:
    'Ни один аккаунт бота не подключён к Twitch. Подключить его может только оператор сайта, от вас ничего не требуется.',
};

/** Mail to an unverified address has no name in its greeting. */
const greeting = (name?: string): string => (name === undefined ? 'Здравствуйте!' : `Здравствуйте, ${name}!`);

export const ru: MailTexts = {
  verifyEmail: ({ token }, publicUrl) => ({
    subject: 'Подтвердите адрес электронной почты',
    paragraphs: [
      greeting(),
      'Подтвердите, пожалуйста, что этот адрес принадлежит вам. Ссылка действует 24 часа.',
    ],
    action: { label: 'Подтвердить адрес', url: verifyUrl(token, publicUrl) },
    footnote: 'Если вы этого не запрашивали, просто проигнорируйте письмо.',
  }),
  resetPassword: ({ name, email, token }, publicUrl) => ({
    subject: 'Новый пароль',
    paragraphs: [
      greeting(name),
      'Мы получили запрос на сброс пароля. Ссылка одноразовая и действует один час. После смены пароля вы выйдете из аккаунта во всех браузерах, а токены API и коды приложения перестанут действовать.',
    ],
    action: { label: 'Задать новый пароль', url: resetUrl(token, email, publicUrl) },
    footnote: 'Если вы этого не запрашивали, просто проигнорируйте письмо: пароль останется прежним.',
  }),
  changeEmail: ({ email, token }, publicUrl) => ({
    subject: 'Подтвердите новый адрес электронной почты',
    paragraphs: [
      greeting(),
      `Подтвердите, пожалуйста, что адрес ${email} принадлежит вам. До этого действует прежний адрес. Ссылка действительна 24 часа.`,
    ],
    action: { label: 'Подтвердить новый адрес', url: verifyUrl(token, publicUrl) },
    footnote: 'Если вы этого не запрашивали, просто проигнорируйте письмо.',
  }),
  emailChangeAsked: ({ name, email }, publicUrl) => ({
    subject: 'Запрос на смену адреса',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Мы получили запрос сменить адрес вашего аккаунта на ${email}. Ссылку для подтверждения мы отправили туда. Пока по ней не подтвердят адрес, действует прежний.`,
      'Если это были не вы, сразу задайте новый пароль: запрос будет отменён, и во всех браузерах придётся войти заново.',
    ],
    action: { label: 'Задать новый пароль', url: forgotUrl(publicUrl) },
    footnote: 'Если это были вы, ничего делать не нужно.',
  }),
  emailChanged: ({ name, email }, publicUrl) => ({
    subject: 'Адрес электронной почты изменён',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Теперь у вашего аккаунта адрес ${email}. Это последнее письмо на прежний адрес.`,
    ],
    action: { label: 'Это сделали не вы?', url: contactUrl(publicUrl) },
    footnote: 'Если это сделали вы, больше ничего не нужно.',
  }),
  emailWanted: ({ name, email }, publicUrl) => ({
    subject: 'Кто-то хотел использовать ваш адрес',
    paragraphs: [
      greeting(name),
      `Кто-то попытался указать адрес ${email} в другом аккаунте. Это адрес вашего аккаунта, поэтому ничего не изменилось. О том, что адрес занят, мы не сообщили.`,
      'Если это были вы, у вас уже есть аккаунт с этим адресом. Войдите в него или удалите его и повторите попытку из другого аккаунта.',
    ],
    action: { label: 'Войти', url: signInUrl(publicUrl) },
    footnote: 'Если это были не вы, просто проигнорируйте письмо.',
  }),
  accountChanged,
  confirmMessage: ({ token }, publicUrl) => ({
    subject: 'Подтвердите ваше сообщение',
    paragraphs: [
      'Здравствуйте!',
      'Кто-то указал этот адрес в сообщении оператору сайта. Сообщение уйдёт, когда вы его подтвердите. Ссылка одноразовая и действует 24 часа.',
    ],
    action: { label: 'Посмотреть сообщение', url: confirmMessageUrl(token, publicUrl) },
    footnote: 'Если вы этого не писали, просто проигнорируйте письмо: сообщение не будет отправлено.',
  }),
  twitchRestricted: ({ name, channel, rules }, publicUrl) => ({
    subject: `У Keepsake больше нет доступа к каналу ${channel}`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Twitch больше не даёт Keepsake доступ к каналу ${channel}: разрешение отозвано или Twitch отключён. ${rules === '0' ? '' : `Приостановлено правил: ${rules}. `}Время просмотра пока не засчитывается.`,
      'Обещанные награды всё ещё можно получить. Чтобы продолжить, снова подключите Twitch в профиле.',
    ],
    action: { label: 'Открыть профиль', url: profileUrl(publicUrl) },
    footnote: 'Это письмо касается вашего аккаунта, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  channelMissing: ({ name, channel, rules }, publicUrl) => ({
    subject: `Twitch больше не показывает ваш канал ${channel}`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Twitch больше не показывает аккаунт ${channel}: он заблокирован или удалён. ${rules === '0' ? '' : `Приостановлено правил: ${rules}. `}Обещанные награды всё ещё можно получить.`,
      'Когда аккаунт снова появится на Twitch, правила возобновятся сами. Если для этого понадобится ваше разрешение, мы напишем.',
    ],
    action: { label: 'Открыть профиль', url: profileUrl(publicUrl) },
    footnote: 'Это письмо касается вашего аккаунта, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  noSubscribers: ({ name, channel }, publicUrl) => ({
    subject: `На канал ${channel} пока нельзя оформить платную подписку`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `В правиле для канала ${channel} есть условие «Подписка». По данным Twitch, у канала нет статуса компаньона или партнёра, а платные подписки бывают только у них. Пока это так, никто не выполнит это правило.`,
      'Когда канал получит этот статус, Keepsake сам загрузит список подписчиков. А пока подойдёт правило без этого условия.',
    ],
    action: { label: 'Открыть правила', url: rulesUrl(publicUrl) },
    footnote: 'Это письмо касается ваших правил, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  noChannelPoints: ({ name, channel, rule, ruleId }, publicUrl) => ({
    subject: `Награду «${rule}» на канале ${channel} пока нельзя получить за баллы`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `В правиле «${rule}» для канала ${channel} есть условие «Баллы канала». По данным Twitch, у канала нет статуса компаньона или партнёра, а награды за баллы бывают только у них. Пока это так, никто не выполнит это правило.`,
      'Когда канал получит этот статус, Keepsake сам создаст награду за баллы. А пока подойдёт правило без этого условия.',
    ],
    action: { label: 'Открыть правило', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'Это письмо касается ваших правил, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  chatTrouble: ({ name, channel, fault, sinceMs, timeZone }, publicUrl) => ({
    subject: `Бот Keepsake не может писать в чате канала ${channel}`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Ни одно сообщение бота не проходит в чат канала ${channel} с ${moment(sinceMs, 'ru', timeZone)}. Пока это так, зрители могут не получать там ответов на команды, а бот не сообщает о заработанных наградах. Время просмотра по-прежнему засчитывается.`,
      chatAdvice[fault],
    ],
    action: { label: 'Открыть настройки канала', url: channelUrl(publicUrl) },
    footnote: 'Это письмо касается вашего канала, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  rulePaused: ({ name, channel, rule, ruleId }, publicUrl) => ({
    subject: `Правило «${rule}» уже сутки на паузе`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Сутки назад вы поставили на паузу правило «${rule}» для канала ${channel}. Пока вы его не возобновите, оно ничего не обещает.`,
      'Зрители сохраняют прогресс и места в очереди. Кто выполнит условия за это время, встанет в очередь, когда вы возобновите правило.',
    ],
    action: { label: 'Открыть правило', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'Это письмо касается ваших правил, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  rewardWordsRefused: ({ name, channel, rule, ruleId }, publicUrl) => ({
    subject: `Twitch не принимает награду за баллы правила «${rule}»`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `В правиле «${rule}» для канала ${channel} есть условие «Баллы канала». AutoMod на Twitch не пропускает слова этой награды, даже без названий предметов. Пока это так, никто не сможет потратить на неё баллы.`,
      'Закройте правило и создайте другое, с другим названием. Keepsake пробует снова каждый час.',
    ],
    action: { label: 'Открыть правило', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'Это письмо касается ваших правил, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  deliveredWithoutPoints: ({ name, viewer, item, rule, ruleId }, publicUrl) => ({
    subject: `У зрителя ${viewer} и предмет ${item}, и баллы канала`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Вы вернули зрителю ${viewer} на Twitch баллы канала за «${rule}». Но предложение обмена с предметом ${item} он принял раньше, чем мы успели его отменить, и теперь у зрителя есть и предмет, и баллы.`,
      'Чтобы отозвать награду, возвращайте баллы до того, как зритель примет предложение.',
    ],
    action: { label: 'Открыть правило', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'Это письмо касается ваших предметов, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  rewardPromised: (values, publicUrl) => {
    const { name, item, channel, rule, claimUntilMs, sendsFromMs, proof, fingerprint, timeZone } = values;
    const until = moment(claimUntilMs, 'ru', timeZone);
    return {
      subject: `Ваша награда: ${item}`,
      preview: `До ${until}. Вы ничего не отдаёте.`,
      headline: `${name}, вас ждёт награда`,
      paragraphs: [
        `Вы выполнили условия правила «${rule}» на канале ${channel}. Предмет отложен для вас до ${until}. Потом он достанется следующему зрителю.`,
        ...(sendsFromMs
          ? [
              `Получить его можно уже сейчас. Стример отправляет предметы с задержкой: ваш – не раньше ${moment(sendsFromMs, 'ru', timeZone)}.`,
            ]
          : []),
        ...(proof
          ? [
              `Он выпал вам в розыгрыше, который может проверить любой: ${proofUrl(proof, publicUrl)}`,
              'Сохраните это письмо: если в этом розыгрыше или в любом до него что-то изменят, отпечаток внизу уже не совпадёт.',
            ]
          : []),
      ],
      action: { label: 'Получить награду', url: rewardsUrl(publicUrl) },
      facts: [
        ['Канал', channel],
        ['Получить до', until],
        ['Вы отдаёте', 'ничего'],
      ],
      footnote:
        'Это письмо пришло, потому что вы заслужили награду. Keepsake никогда не просит ваши предметы или пароль.',
      ...(fingerprint && { fingerprint: { label: 'Отпечаток розыгрыша', value: fingerprint } }),
    };
  },
  claimReminder: ({ item, channel, rule, claimUntilMs, hours = '6', timeZone }, publicUrl) => {
    const until = moment(claimUntilMs, 'ru', timeZone);
    return {
      subject: `Осталось ${hours} ч на получение: ${item}`,
      preview: `До ${until}.`,
      headline: `Осталось ${hours} ч, до ${until}`,
      paragraphs: [
        'Это займёт минуту: нажмите кнопку, сверьте код и примите предложение в Steam. Если предмет вам не нужен, просто проигнорируйте письмо.',
      ],
      action: { label: 'Получить награду', url: rewardsUrl(publicUrl) },
      facts: [
        ['Канал', channel],
        ['Правило', rule],
        ['Получить до', until],
      ],
      footnote: 'Это единственное напоминание об этой награде.',
    };
  },
  rewardDelivered: ({ item, channel, rule, deliveredMs, code, timeZone }, publicUrl) => {
    const at = moment(deliveredMs, 'ru', timeZone);
    return {
      subject: `Доставлено: ${item}`,
      preview: `В вашем инвентаре Steam с ${at}.`,
      headline: 'Предмет в вашем инвентаре Steam',
      paragraphs: [
        `Предложение обмена принято: ${at}. Ещё 7–8 дней Steam может отменить обмен. Когда он станет окончательным, видно на странице передачи.`,
      ],
      action: { label: 'Открыть передачу', url: transfersUrl(publicUrl) },
      facts: [
        ['Канал', channel],
        ['Правило', rule],
        ['Код', code],
        ['Вы отдали', 'ничего'],
      ],
      footnote: 'Это письмо пришло, потому что вы получили награду.',
    };
  },
  itemsUsable: ({ count = '1' }, publicUrl) => ({
    subject: `Ваши предметы разблокированы: ${count}`,
    headline: `Разблокировано предметов: ${count}`,
    paragraphs: [
      'Блокировка предметов, переданных на хранение, закончилась. Теперь их можно добавить в правило или вернуть на свой аккаунт Steam.',
    ],
    action: { label: 'Открыть предметы', url: custodyUrl(publicUrl) },
    footnote: 'Это письмо пришло, потому что вы передали эти предметы на хранение.',
  }),
  claimFailed: ({ item, channel, rule, why, claimUntilMs, timeZone }, publicUrl) => {
    const facts: [string, string][] = [
      ['Канал', channel],
      ['Правило', rule],
    ];
    const footnote = 'Это письмо пришло, потому что вы запросили награду.';
    if (!claimUntilMs)
      return {
        subject: `Предмет ${item} не доставлен`,
        paragraphs: [
          `${claimFailures[why]} К этому моменту время на получение вышло, поэтому награда больше не отложена для вас.`,
          'В передаче видно каждый шаг и его время.',
        ],
        action: { label: 'Открыть передачи', url: transfersUrl(publicUrl) },
        facts,
        footnote,
      };
    const until = moment(claimUntilMs, 'ru', timeZone);
    const toProfile = why === 'refused';
    return {
      subject: `Не удалось передать: ${item}`,
      preview: `Награда остаётся вашей до ${until}.`,
      headline: claimFailures[why],
      paragraphs: [
        `Ничего не изменилось: предмет по-прежнему отложен для вас. ${toProfile ? 'Проверьте, что ваша ссылка на обмен работает и что вашему аккаунту Steam доступны обмены, и запросите награду снова.' : 'Запросите его снова, когда сможете сразу принять предложение.'}`,
      ],
      action: toProfile
        ? { label: 'Проверить ссылку на обмен', url: profileUrl(publicUrl) }
        : { label: 'Получить снова', url: rewardsUrl(publicUrl) },
      facts: [...facts, ['Получить до', until]],
      footnote,
    };
  },
  depositReversed: ({ name, item, channel, rule }, publicUrl) => ({
    subject: `Предмета ${item} больше нет`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Вам обещали ${item} за правило «${rule}» на канале ${channel}. Обмен, которым этот предмет передали нам на хранение, отменён в Steam: предмета у нас больше нет, и награда отозвана.`,
      'Вашей вины в этом нет. Если вы потратили на награду баллы канала, они возвращаются.',
    ],
    action: { label: 'Открыть награды', url: rewardsUrl(publicUrl) },
    footnote: 'Это письмо пришло, потому что вам обещали эту награду.',
  }),
  itemLost: ({ name, item, channel, rule }, publicUrl) => ({
    subject: `Предмета ${item} больше нет`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Вам обещали ${item} за правило «${rule}» на канале ${channel}. Предмет пропал из инвентаря нашего бота и не нашёлся, поэтому награда отозвана.`,
      'Вашей вины в этом нет. Если вы потратили на награду баллы канала, они возвращаются.',
    ],
    action: { label: 'Открыть награды', url: rewardsUrl(publicUrl) },
    footnote: 'Это письмо пришло, потому что вам обещали эту награду.',
  }),
  claimStopped: ({ name, item, channel, rule, reason }, publicUrl) => ({
    subject: `${channel}: выдача остановлена, ${item}`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Вам обещали ${item} за правило «${rule}» на канале ${channel}. Стример остановил выдачу. Причина: ${stopReasons[reason]}.`,
      'Награда больше не закреплена за вами. Если вы потратили на неё баллы канала, они возвращаются. Публичная страница канала показывает, сколько выдач остановлено и почему.',
    ],
    action: { label: 'Открыть награды', url: rewardsUrl(publicUrl) },
    footnote: 'Это письмо пришло, потому что вам обещали эту награду.',
  }),
  stoppedTooLate: ({ name, viewer, item, rule }, publicUrl) => ({
    subject: `${viewer}: предмет ${item} принят раньше, чем выдача остановлена`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Вы попросили остановить выдачу предмета ${item} по правилу «${rule}». Зритель ${viewer} принял предложение обмена раньше, чем мы успели его отменить, и предмет доставлен.`,
    ],
    action: { label: 'Открыть передачи', url: transfersUrl(publicUrl) },
    footnote: 'Это письмо касается ваших предметов, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  paymentFailed: ({ name, product, tier, untilMs }, publicUrl) => ({
    subject: 'Платёж не прошёл',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Оплата тарифа «${products[product]} ${tiers[tier]}» не прошла. Тариф действует до ${moment(untilMs, 'ru', undefined)}. Если к этому дню оплата не пройдёт, вы перейдёте на бесплатный тариф${product === 'streamer' ? ': правила сверх его лимита приостановятся, а обещания останутся в силе' : ''}.`,
      'Сменить карту можно на странице тарифа.',
    ],
    action: { label: 'Открыть тариф', url: billingUrl(publicUrl) },
    footnote: 'Это письмо касается вашего аккаунта, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  trialEnds: ({ name, product, tier, period, price, currency, endsMs }, publicUrl) => ({
    subject: 'Пробный период скоро закончится',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Пробный период тарифа «${products[product]} ${tiers[tier]}» закончится ${moment(endsMs, 'ru', undefined)}. Тогда мы спишем ${money(price, currency, 'ru')} (без учёта налога) за первый ${period === 'month' ? 'месяц' : 'год'}, а затем столько же ${period === 'month' ? 'каждый месяц' : 'каждый год'}.`,
      'Если продолжать не хотите, нажмите до этого «Отменить подписку» на странице тарифа: тариф останется у вас до конца пробного периода, и ничего не спишется.',
    ],
    action: { label: 'Открыть тариф', url: billingUrl(publicUrl) },
    footnote: 'Это письмо касается вашего аккаунта, поэтому оно приходит независимо от настроек уведомлений.',
  }),
  ...toOperator,
};

const claimFailures = {
  refused: 'Steam отклонил наше предложение обмена.',
  declined: 'Предложение обмена отклонено.',
  notAccepted: 'Предложение обмена не приняли вовремя.',
  delayed: 'Наш бот не успел подтвердить предложение обмена.',
  unanswered: 'Twitch вовремя не сообщил, выполнены ли ещё условия.',
} as const;
