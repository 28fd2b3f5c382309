export const auth = {
  promise: {
    heading: 'Everything is accounted for',
    bar: 'Progress for every condition, minute by minute',
    deadline: 'Claim deadlines with an exact date and time',
    code: 'A code to compare before you accept an offer',
  },
  name: 'Name',
  email: 'Email',
  password: 'Password',
  passwordHint: 'At least 10 characters. A short sentence works well.',
  orByEmail: 'or with email',
  byTwitch: 'Continue with Twitch',
  signup: {
    title: 'Create your account',
    lede: 'For viewers and streamers alike.',
    nameHint: 'Others see your Twitch name instead.',
    terms:
      'I accept the <terms>terms of service</terms> and have read the <privacy>privacy policy</privacy>.',
    byTwitchTerms:
      'By continuing you accept the <terms>terms of service</terms> and have read the <privacy>privacy policy</privacy>.',
    byTwitchStreams: 'Twitch asks to see your email, chatters, followers and subscribers.',
    submit: 'Create account',
    haveAccount: 'Have an account? <signin>Sign in</signin>',
  },
  signin: {
    title: 'Sign in',
    lede: 'Welcome back.',
    frozenLede:
      'Sign in and prove that it is you, to end the freeze of your account. Twitch asks you even if you are still signed in there.',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    byPasskey: 'Sign in with a passkey',
    noAccount: 'No account yet? <signup>Create one</signup>',
  },
  signout: {
    title: 'Log out of Keepsake?',
    text: 'You are signed out in this browser. Your rewards, items and connections stay as they are.',
    act: 'Log out',
    keep: 'Stay signed in',
  },
  unverified: {
    title: 'Verify your email',
    sentTo: 'We sent a link to {{email}}. It is valid for 24 hours.',
    resend: 'Resend email',
    mistyped: 'Is the address wrong?',
    rightOne: 'Correct email address',
    signout: 'Log out',
  },
  verify: {
    doneTitle: 'Your email is verified',
    doneText: 'Your earlier watch time now counts too.',
    failedTitle: 'This link did not work',
    toSignin: 'Sign in',
    toUnverified: 'Get a new link',
  },
} as const;
