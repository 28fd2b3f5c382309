import type { profile as english } from '../en/profile.ts';
import type { Russian } from '../russian.ts';

export const profile = {
  title: 'Профиль',
  account: 'Аккаунт',
  name: 'Имя',
  email: 'E-mail',
  verified: 'Подтверждён',
  unverified: 'Не подтверждён',
  password: {
    title: 'Пароль',
    current: 'Текущий пароль',
    next: 'Новый пароль',
    save: 'Сменить пароль',
    set: 'Задать пароль',
    none: 'Вы входите через Twitch. С паролем можно войти и по e-mail.',
  },
  tradeLink: {
    title: 'Ссылка на обмен Steam',
    label: 'Ссылка на обмен',
    hint: 'По ней Steam присылает предложения. Она должна принадлежать подключённому аккаунту Steam.',
    find: 'Найти свою на Steam',
    save: 'Сохранить ссылку',
    held_one:
      'Steam задержит предметы на {{count}} день. Чтобы этого не было, настройте аутентификатор Steam Guard.',
    held_few:
      'Steam задержит предметы на {{count}} дня. Чтобы этого не было, настройте аутентификатор Steam Guard.',
    held_many:
      'Steam задержит предметы на {{count}} дней. Чтобы этого не было, настройте аутентификатор Steam Guard.',
    held_other:
      'Steam задержит предметы на {{count}} дня. Чтобы этого не было, настройте аутентификатор Steam Guard.',
    needsSteam: 'Сначала подключите Steam. Потом добавьте сюда его ссылку на обмен.',
  },
  twitch: {
    title: 'Twitch',
    connected: 'Подключён',
    restricted: 'Ограничен',
    none: 'Подключите Twitch, чтобы время просмотра засчитывалось.',
    connect: 'Подключить Twitch',
    reconnect: 'Подключить снова',
    as: 'Подключён как {{name}}',
    extendedOn: 'Расширенные разрешения даны: правила на вашем канале могут работать.',
    extendedOff: 'Чтобы награждать зрителей на своём канале, дайте расширенные разрешения.',
    missing: 'На Twitch не хватает:',
    allow: 'Разрешить на Twitch',
    disconnect: 'Отключить Twitch',
    linked: 'Twitch подключён',
    unlinked: 'Twitch отключён',
    scope: {
      chatters: 'видеть, кто в вашем чате',
      followers: 'видеть, кто и с каких пор вас отслеживает',
      subscriptions: 'видеть, у кого есть платная подписка',
      redemptions: 'отвечать на активации баллов канала',
    },
    question: 'Отключить {{name}}?',
    consequence:
      'Ваши правила остановятся, и, пока Twitch не подключён снова, новых наград вам не обещают. Минуты просмотра по-прежнему считаются для вашего аккаунта Twitch, а данные обещания в силе. Войти через Twitch больше не получится.',
    keep: 'Оставить подключённым',
  },
  steam: {
    title: 'Steam',
    connected: 'Подключён',
    none: 'Подключите Steam, чтобы предметы могли до вас дойти.',
    connect: 'Подключить Steam',
    disconnect: 'Отключить Steam',
    linked: 'Steam подключён',
    unlinked: 'Steam отключён',
    id: 'SteamID',
    question: 'Отключить аккаунт Steam {{name}}?',
    consequence:
      'Ссылка на обмен забудется: пока Steam не подключён снова, нельзя ни получить награды, ни внести или вернуть предметы. Уже отправленные предложения дойдут. Если подключить другой аккаунт, 7 дней предметы возвращаются только на тот, с которого внесены.',
    keep: 'Оставить подключённым',
  },
} satisfies Russian<typeof english>;
