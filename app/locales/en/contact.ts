export const contact = {
  title: 'Contact us',
  lede: 'A question, a fault, or something that looks wrong: write to the people who run this site.',
  name: 'Your name',
  email: 'Your e-mail',
  emailHint: 'The answer goes to this address.',
  message: 'Message',
  messageHint: 'If it is about a transfer, name its security code. Never send passwords.',
  submit: 'Send message',
  confirm: {
    sent: 'Please check your email',
    sentBody:
      'A link is on its way to {{email}}. Open it to send your message: it works once, within 24 hours.',
    title: 'Send your message',
    text: 'From {{name}}, to be answered to {{email}}. One press, and it goes to the operator of this site.',
    again: 'To the form',
  },
  plain:
    'Without JavaScript there is no captcha here: we mail a link to your address, and your message is sent when you have confirmed it.',
  faq: 'Many answers are in the <faq>FAQ</faq>.',
} as const;
