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
  disown: {
    title: 'This wasn’t you?',
    text: 'End all access to the account that this email was about, {{email}}. Every browser is signed out, and API tokens and companion app codes stop working.',
    stays:
      'Rules that were opened or given rewards since then, and returns of items, are frozen: nothing of them is sent until you have signed in and looked at them. Nothing is deleted.',
    act: 'End all access',
    doneTitle: 'All access has ended',
    done: 'Nobody is signed in to your account now, and no program can act for you.',
    counts: 'Browsers signed out: {{sessions}}. API tokens revoked: {{tokens}}.',
    frozen:
      'Rules frozen: {{frozenRules}}. Nothing of them is sent, and no items are returned, until you end the freeze.',
    nowTitle: 'What to do now',
    now: {
      password: 'Set a new password: whoever knows the old one can sign in again.',
      rules:
        'Sign in and end the freeze under Settings: decide for each frozen rule whether it goes on, or is deleted and its claims are stopped.',
      connections: 'Check in your profile which accounts are connected, and turn on a second factor.',
    },
    settledTitle: 'You have dealt with this already',
    settled:
      'This link was used, or a freeze of your account was ended after we sent it. It does nothing any more.',
    instead:
      'If somebody else still uses your account, set a new password: that also signs out every browser and revokes API tokens and companion app codes.',
    toPassword: 'Set a new password',
  },
  confirm: {
    title: 'Confirm your email',
    text: 'Is {{email}} your address? Press the button to verify it.',
    act: 'Confirm',
  },
} as const;
