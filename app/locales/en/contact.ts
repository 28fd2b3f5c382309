export const contact = {
  title: 'Contact us',
  lede: 'A question, a fault, or something that looks wrong: write to the people who run this site.',
  name: 'Your name',
  email: 'Your e-mail',
  emailHint: 'The answer goes to this address.',
  message: 'Message',
  messageHint: 'If it is about a transfer, name its security code. Never send passwords.',
  submit: 'Send message',
  faq: 'Many answers are in the <faq>FAQ</faq>.',
} as const;
