export const recovery = {
  toSignin: 'Back to signing in',
  forgot: {
    title: 'Forgot your password?',
    lede: 'Enter the e-mail of your account. We mail you a link that sets a new one.',
    submit: 'Mail me a link',
  },
  sent: {
    title: 'Please check your email',
    text: 'If {{email}} has an account here, a link is on its way. It works once, within an hour.',
    hint: 'No mail after a few minutes? Look among unwanted mail, and check the address.',
  },
  reset: {
    title: 'Set a new password',
    lede: 'When it is set, every browser is signed out, and API tokens and codes for the companion app end.',
    again: 'New password again',
    submit: 'Set password',
    another: 'The link does not work? Ask for a new one',
  },
  confirm: {
    title: 'Confirm your e-mail',
    text: 'Is {{email}} yours? One press, and it is verified.',
    act: 'Confirm',
    why: 'The button is there because programs that look through mails open links as well.',
  },
} as const;
