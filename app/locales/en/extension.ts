export const extension = {
  code: {
    title: 'Sign in on the companion app',
    lede: 'The app asks for a code. Typed in there, it signs the app in as {{name}}.',
    label: 'Your code',
    lifetime_one: 'Works once, for {{count}} minute: until {{time}}.',
    lifetime_other: 'Works once, for {{count}} minutes: until {{time}}.',
    show: 'Show a code',
    expired: 'This code has expired. Show a new one.',
    another: 'Show a new code',
    warning:
      'Whoever has this code can act for you. Type it only into your own app, and never send it to anyone.',
    tokens: 'The app then appears under API tokens in your settings, where you can sign it out.',
    toSettings: 'To your settings',
    signInFirst: 'Sign in first. Then this page can show a code for the app.',
    signIn: 'Sign in',
    signUp: 'Create account',
  },
  success: {
    title: 'Account connected',
    twitch: 'Your Twitch account is connected to Keepsake. What you watch counts from now on.',
    steam:
      'Your Steam account is connected to Keepsake. Add your trade link in your profile, so that items can reach you.',
    unnamed: 'Your account is connected to Keepsake.',
    next: 'You can close this page and go back to the companion app.',
    toProfile: 'To your profile',
  },
  failed: {
    title: 'Account not connected',
    twitch: 'Twitch was not connected to Keepsake.',
    steam: 'Steam was not connected to Keepsake.',
    unnamed: 'The account was not connected to Keepsake.',
    unknown: 'Nothing has changed. Start it again from the companion app.',
    next: 'Try again here, or go back to the companion app and start there.',
    retry: 'Try again',
  },
} as const;
