import type { shell as english } from '../en/shell.ts';
import type { Russian } from '../russian.ts';

export const shell = {
  skip: 'К содержанию',
  menu: 'Меню',
  main: 'Основное меню',
  site: 'Разделы сайта',
  accountMenu: 'Меню аккаунта',
  ready: 'готово',
  twitch: {
    broken: 'У Keepsake больше нет доступа к вашему каналу Twitch',
    missing: 'Twitch больше не показывает ваш канал',
  },
  twitchText: {
    broken:
      'Правила приостановлены, время просмотра не засчитывается. Обещанные награды всё ещё можно получить. Подключите Twitch заново, чтобы продолжить.',
    missing:
      'Он заблокирован или удалён. Правила приостановлены до его возвращения. Обещанные награды всё ещё можно получить.',
  },
  toProfile: 'Перейти в профиль',
  theme: { label: 'Тема', system: 'Системная', dark: 'Тёмная', light: 'Светлая' },
  group: { general: 'Общее', viewer: 'Зритель', streamer: 'Стример', help: 'Помощь' },
  link: {
    dashboard: 'Сводка',
    browse: 'Обзор каналов',
    rewardProgress: 'Прогресс наград',
    rewardHistory: 'История наград',
    items: 'Предметы',
    rules: 'Правила',
    transfers: 'Передачи предметов',
    billing: 'Тариф и оплата',
    contact: 'Написать нам',
    faq: 'Вопросы и ответы',
    profile: 'Профиль',
    settings: 'Настройки',
    logout: 'Выйти',
    signin: 'Войти',
    signup: 'Создать аккаунт',
    about: 'О сервисе',
    terms: 'Условия использования',
    privacy: 'Конфиденциальность',
    cookies: 'Файлы cookie',
    howItWorks: 'Как это работает',
    safety: 'Безопасность',
    channels: 'Каналы',
    pricing: 'Цены',
  },
  notAffiliated: 'Не связано с Twitch и Valve',
  cookieSettings: 'Настройки cookie',
  notifications: 'Уведомления',
} satisfies Russian<typeof english>;
