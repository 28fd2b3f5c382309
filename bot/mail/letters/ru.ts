import {
  confirmMessageUrl,
  contactUrl,
  forgotUrl,
  type Letters,
  moment,
  resetUrl,
  rewardsUrl,
  signInUrl,
  verifyUrl,
} from '../letter.ts';

export const ru: Letters = {
  verifyEmail: ({ name, token }, publicUrl) => ({
    subject: 'Подтвердите адрес электронной почты',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      'Подтвердите, пожалуйста, что этот адрес принадлежит вам. Ссылка действует 24 часа.',
    ],
    action: { label: 'Подтвердить адрес', url: verifyUrl(token, publicUrl) },
    footnote: 'Если вы об этом не просили, ничего делать не нужно.',
  }),
  resetPassword: ({ name, email, token }, publicUrl) => ({
    subject: 'Новый пароль',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      'Кто-то, надеемся, что вы, просит новый пароль. Ссылка срабатывает один раз и действует один час. Когда новый пароль задан, вход завершается во всех браузерах, а токены API и коды для приложения перестают действовать.',
    ],
    action: { label: 'Задать новый пароль', url: resetUrl(token, email, publicUrl) },
    footnote: 'Если вы об этом не просили, пароль останется прежним, и делать ничего не нужно.',
  }),
  changeEmail: ({ name, email, token }, publicUrl) => ({
    subject: 'Подтвердите новый адрес электронной почты',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Подтвердите, пожалуйста, что адрес ${email} принадлежит вам. До этого остаётся прежний адрес. Ссылка действует 24 часа.`,
    ],
    action: { label: 'Подтвердить новый адрес', url: verifyUrl(token, publicUrl) },
    footnote: 'Если вы об этом не просили, ничего делать не нужно.',
  }),
  emailChangeAsked: ({ name, email }, publicUrl) => ({
    subject: 'Кто-то просит сменить ваш адрес',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Кто-то, надеемся, что вы, просит, чтобы у вашего аккаунта был адрес ${email}. Ссылка отправлена на него. Пока её не откроют, остаётся нынешний адрес.`,
      'Если это были не вы, задайте сейчас новый пароль: просьба потеряет силу, и вход завершится во всех браузерах.',
    ],
    action: { label: 'Задать новый пароль', url: forgotUrl(publicUrl) },
    footnote: 'Если это были вы, ничего делать не нужно.',
  }),
  emailChanged: ({ name, email }, publicUrl) => ({
    subject: 'Адрес электронной почты изменён',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Теперь у вашего аккаунта адрес ${email}. Этот адрес к нему больше не относится, и это последнее письмо на него.`,
    ],
    action: { label: 'Это сделали не вы?', url: contactUrl(publicUrl) },
    footnote: 'Если это сделали вы, больше ничего не нужно.',
  }),
  emailWanted: ({ name, email }, publicUrl) => ({
    subject: 'Кто-то хотел использовать ваш адрес',
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Кто-то, вошедший в другой аккаунт, попросил использовать для него адрес ${email}. Этот адрес относится к вашему аккаунту, поэтому ничего не изменилось — ни у вас, ни у другого аккаунта. О том, что адрес занят, там не сообщили.`,
      'Если это были вы: этот адрес у вашего здешнего аккаунта. В него можно войти, или удалить его и повторить просьбу из другого.',
    ],
    action: { label: 'Войти', url: signInUrl(publicUrl) },
    footnote: 'Если это были не вы, ничего делать не нужно.',
  }),
  confirmMessage: ({ token }, publicUrl) => ({
    subject: 'Подтвердите ваше сообщение',
    paragraphs: [
      'Здравствуйте!',
      'Кто-то, надеемся, что вы, написал тем, кто ведёт этот сайт, и указал этот адрес. Сообщение уйдёт, когда вы его подтвердите. Ссылка срабатывает один раз и действует 24 часа.',
    ],
    action: { label: 'Посмотреть сообщение', url: confirmMessageUrl(token, publicUrl) },
    footnote: 'Если вы не писали, ничего делать не нужно: ничего не отправлено.',
  }),
  contactMessage: ({ name, email, message, confirmed }) => ({
    subject: `Сообщение: ${name}`,
    paragraphs: [`${name} <${email}> пишет через форму обратной связи:`],
    quote: message,
    footnote: `Ответ на это письмо уйдёт автору сообщения. ${confirmed === 'yes' ? 'Адрес подтверждён по ссылке.' : 'Адрес форма не проверяла.'}`,
    replyTo: email,
  }),
  rewardPromised: ({ name, item, channel, rule, claimUntilMs }, publicUrl) => ({
    subject: `Награда ваша: ${item}`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Вы выполнили условия «${rule}» на канале ${channel}, и предмет ${item} ваш.`,
      `Заберите его до ${moment(claimUntilMs, 'ru')} UTC, иначе он достанется следующему зрителю.`,
    ],
    action: { label: 'Забрать награду', url: rewardsUrl(publicUrl) },
    footnote: 'Keepsake никогда не просит ваши предметы или пароль.',
  }),
};
