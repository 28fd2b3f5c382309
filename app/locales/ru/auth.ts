import type { auth as english } from '../en/auth.ts';
import type { Russian } from '../russian.ts';

export const auth = {
  promise: {
    heading: 'Каждый предмет на учёте',
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
    byTwitchTerms:
      'Продолжая, вы принимаете <terms>условия использования</terms> и подтверждаете, что прочитали <privacy>политику конфиденциальности</privacy>.',
    byTwitchStreams:
      'Twitch попросит доступ к почте и к спискам тех, кто в чате, отслеживает канал и подписан на него.',
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
    mistyped: 'В адресе ошибка?',
    rightOne: 'Правильный адрес',
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
