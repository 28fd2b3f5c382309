export const extension = {
  code: {
    title: 'Sign in to the companion app',
    lede: 'The app asks for a code. Enter it there to sign in as {{name}}.',
    label: 'Your code',
    lifetime_one: 'Works once, for {{count}} minute: until {{time}}.',
    lifetime_other: 'Works once, for {{count}} minutes: until {{time}}.',
    show: 'Show a code',
    expired: 'This code has expired. Show a new one.',
    another: 'Show a new code',
    warning:
      'Anyone with this code can act for you. Enter it only in your own app, and never send it to anyone.',
    tokens: 'The app then appears under API tokens in your settings, where you can sign it out.',
    toSettings: 'Go to settings',
    signInFirst: 'Sign in first to see a code for the app.',
    signIn: 'Sign in',
    signUp: 'Create account',
  },
  success: {
    title: 'Account connected',
    twitch: 'Your Twitch account is connected to Keepsake. Your watch time counts from now on.',
    steam:
      'Your Steam account is connected to Keepsake. Add your trade link in your profile, so that items can reach you.',
    next: 'You can close this page and go back to the companion app.',
    toProfile: 'Go to your profile',
  },
  failed: {
    title: 'Account not connected',
    twitch: 'Twitch was not connected to Keepsake.',
    steam: 'Steam was not connected to Keepsake.',
    unnamed: 'The account was not connected to Keepsake.',
    unknown: 'Nothing has changed. Start again from the companion app.',
    next: 'Try again here, or start again in the companion app.',
    retry: 'Try again',
  },
} as const;
