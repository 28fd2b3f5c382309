import type { auth as english } from '../en/auth.ts';
import type { Russian } from '../russian.ts';

export const auth = {
  promise: {
    heading: 'Все заработанные награды записаны',
    bar: 'Прогресс по каждому условию, минута за минутой',
    deadline: 'Срок получения с точной датой и временем',
    code: 'Код, который можно сверить до принятия предложения',
  },
  name: 'Имя',
  email: 'Почта',
  password: 'Пароль',
  passwordHint: 'Не меньше 10 символов. Хорошо подойдёт короткая фраза.',
  orByEmail: 'или по почте',
  byTwitch: 'Продолжить с Twitch',
  signup: {
    title: 'Создайте аккаунт',
    lede: 'И для зрителей, и для стримеров.',
    nameHint: 'Другие видят ваше имя на Twitch.',
    terms:
      'Я принимаю <terms>условия использования</terms> и прочитал(а) <privacy>политику конфиденциальности</privacy>.',
    byTwitchTerms: 'Продолжая с Twitch, вы принимаете те же условия.',
    byTwitchStreams:
      'Twitch спросит о том, что учитывают правила на вашем канале: кто в чате, отслеживания, подписки и баллы канала.',
    submit: 'Создать аккаунт',
    haveAccount: 'Уже есть аккаунт? <signin>Войти</signin>',
  },
  signin: {
    title: 'Вход',
    lede: 'С возвращением!',
    frozenLede:
      'Войдите и подтвердите, что это вы, чтобы снять заморозку аккаунта. Twitch спросит вас, даже если там вы уже вошли.',
    submit: 'Войти',
    forgot: 'Забыли пароль?',
    byPasskey: 'Войти по ключу доступа',
    noAccount: 'Ещё нет аккаунта? <signup>Создать</signup>',
  },
  signout: {
    title: 'Выйти из Keepsake?',
    text: 'Вы выйдете только в этом браузере. Награды, предметы и подключения останутся как есть.',
    act: 'Выйти',
    keep: 'Остаться',
  },
  unverified: {
    title: 'Подтвердите почту',
    sentTo: 'Мы отправили ссылку на {{email}}. Она действует 24 часа.',
    resend: 'Отправить письмо ещё раз',
    signout: 'Выйти',
  },
  verify: {
    doneTitle: 'Почта подтверждена',
    doneText: 'Время, которое вы смотрели раньше, тоже засчитывается.',
    failedTitle: 'Ссылка не сработала',
    toSignin: 'Войти',
    toUnverified: 'Запросить новую ссылку',
  },
} satisfies Russian<typeof english>;
