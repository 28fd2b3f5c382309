import type { shell as english } from '../en/shell.ts';
import type { Russian } from '../russian.ts';

export const shell = {
  skip: 'К содержанию',
  menu: 'Меню',
  main: 'Основное меню',
  site: 'Разделы сайта',
  accountMenu: 'Меню аккаунта',
  ready: 'готово',
  twitchTrouble:
    'Twitch больше не даёт Keepsake доступ к вашему каналу: правила приостановлены, время просмотра не засчитывается. Обещанные награды всё ещё можно получить. Подключите Twitch заново, чтобы продолжить.',
  toProfile: 'Перейти в профиль',
  theme: { label: 'Тема', system: 'Системная', dark: 'Тёмная', light: 'Светлая' },
  group: { general: 'Общее', viewer: 'Зритель', streamer: 'Стример', help: 'Помощь' },
  link: {
    dashboard: 'Сводка',
    browse: 'Обзор каналов',
    rewardProgress: 'Прогресс наград',
    items: 'Предметы',
    rules: 'Правила',
    transfers: 'Передачи предметов',
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
  },
  notAffiliated: 'Не связано с Twitch и Valve',
  cookieSettings: 'Настройки cookie',
  notifications: 'Уведомления',
} satisfies Russian<typeof english>;
