export const recovery = {
  toSignin: 'Back to sign-in',
  forgot: {
    title: 'Forgot your password?',
    lede: 'Enter the email of your account. We send you a link to set a new password.',
    submit: 'Send link',
  },
  sent: {
    title: 'Please check your email',
    text: 'If {{email}} has an account here, a link is on its way. It works once, within an hour.',
    hint: 'No email after a few minutes? Check your spam folder and the address.',
  },
  reset: {
    title: 'Set a new password',
    lede: 'A new password signs out every browser and revokes API tokens and companion app codes.',
    again: 'Repeat new password',
    submit: 'Set password',
    another: 'Link not working? Get a new one',
  },
  closed: {
    title: 'This link no longer works',
    text: 'A link to set a password works once, within an hour. It has already been used, or it has expired.',
    another: 'Get a new link',
  },
  confirm: {
    title: 'Confirm your email',
    text: 'Is {{email}} your address? Press the button to verify it.',
    act: 'Confirm',
    why: 'We ask because mail scanners open links too.',
  },
} as const;
