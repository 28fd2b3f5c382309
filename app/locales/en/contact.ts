export const contact = {
  title: 'Contact us',
  lede: 'A question, a problem, or something that looks wrong: write to the people who run this site.',
  name: 'Your name',
  email: 'Your email',
  emailHint: 'We reply to this address.',
  message: 'Message',
  messageHint: 'If it is about a transfer, include its security code. Never send passwords.',
  submit: 'Send message',
  confirm: {
    sent: 'Please check your email',
    sentBody:
      'A link is on its way to {{email}}. Open it to send your message: it works once, within 24 hours.',
    title: 'Send your message',
    text: 'From {{name}}, reply to {{email}}. Press the button to send it to the operator of this site.',
    again: 'Back to the form',
  },
  plain:
    'The captcha needs JavaScript. Without it, we email you a link, and your message is sent once you confirm it there.',
  faq: 'Many answers are in the <faq>FAQ</faq>.',
} as const;
