import type { auth as english } from '../en/auth.ts';
import type { Russian } from '../russian.ts';

export const auth = {
  promise: {
    heading: 'Всё заслуженное записано',
    bar: 'Полоса для каждого условия, минута за минутой',
    deadline: 'Срок с датой и никаких уловок с часами',
    code: 'Код, который можно сверить до принятия предложения',
  },
  name: 'Имя',
  email: 'E-mail',
  password: 'Пароль',
  passwordHint: 'Не меньше 10 символов. Хорошо подойдёт короткая фраза.',
  orByEmail: 'или по e-mail',
  byTwitch: 'Продолжить с Twitch',
  signup: {
    title: 'Создайте аккаунт',
    lede: 'И для зрителей, и для стримеров.',
    nameHint: 'Так вас увидят здесь другие.',
    terms:
      'Я принимаю <terms>условия использования</terms> и знаю, что сказано в <privacy>политике конфиденциальности</privacy>.',
    byTwitchTerms: 'Продолжая с Twitch, вы принимаете те же условия.',
    submit: 'Создать аккаунт',
    haveAccount: 'Уже есть аккаунт? <signin>Войти</signin>',
  },
  signin: {
    title: 'Вход',
    lede: 'Рады видеть вас снова.',
    submit: 'Войти',
    forgot: 'Забыли пароль?',
    noAccount: 'Ещё нет аккаунта? <signup>Создать</signup>',
  },
  signout: {
    title: 'Выйти из Keepsake?',
    text: 'Этот браузер вас забудет. Обещания, предметы и связи останутся как есть.',
    act: 'Выйти',
    keep: 'Остаться',
  },
  unverified: {
    title: 'Подтвердите e-mail',
    sentTo: 'Мы отправили ссылку на {{email}}. Она действует 24 часа.',
    resend: 'Отправить письмо ещё раз',
    signout: 'Выйти',
  },
  verify: {
    doneTitle: 'E-mail подтверждён',
    doneText: 'Всё, что вы смотрели раньше, теперь засчитывается.',
    failedTitle: 'Ссылка не сработала',
    toSignin: 'Войти',
    toUnverified: 'Запросить новую ссылку',
  },
} satisfies Russian<typeof english>;
