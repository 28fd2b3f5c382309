import type { extension as english } from '../en/extension.ts';
import type { Russian } from '../russian.ts';

export const extension = {
  code: {
    title: 'Вход в мобильное приложение',
    lede: 'Введите этот код в приложении. Оно войдёт как {{name}}.',
    label: 'Ваш код',
    lifetime_one: 'Действует один раз, {{count}} минуту: до {{time}}.',
    lifetime_few: 'Действует один раз, {{count}} минуты: до {{time}}.',
    lifetime_many: 'Действует один раз, {{count}} минут: до {{time}}.',
    lifetime_other: 'Действует один раз, {{count}} минуты: до {{time}}.',
    expired: 'Время этого кода вышло. Покажите новый.',
    another: 'Показать новый код',
    warning:
      'С этим кодом можно действовать от вашего имени. Вводите его только в своём приложении и никому не отправляйте.',
    tokens: 'Потом приложение появится среди токенов API в настройках, там его можно отключить.',
    toSettings: 'К настройкам',
    signInFirst: 'Сначала войдите. Тогда здесь появится код для приложения.',
    signIn: 'Войти',
    signUp: 'Создать аккаунт',
  },
  success: {
    title: 'Аккаунт подключён',
    twitch: 'Ваш аккаунт Twitch подключён к Keepsake. С этого момента просмотр засчитывается.',
    steam:
      'Ваш аккаунт Steam подключён к Keepsake. Добавьте в профиле ссылку на обмен, чтобы предметы могли до вас дойти.',
    unnamed: 'Ваш аккаунт подключён к Keepsake.',
    next: 'Эту страницу можно закрыть и вернуться в приложение.',
    toProfile: 'К профилю',
  },
  failed: {
    title: 'Аккаунт не подключён',
    twitch: 'Twitch не подключён к Keepsake.',
    steam: 'Steam не подключён к Keepsake.',
    unnamed: 'Аккаунт не подключён к Keepsake.',
    unknown: 'Ничего не изменилось. Начните снова в приложении.',
    next: 'Повторите здесь или вернитесь в приложение и начните там.',
    retry: 'Повторить',
  },
} satisfies Russian<typeof english>;
