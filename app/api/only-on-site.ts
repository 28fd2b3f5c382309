/** Acts that only the site offers, each with its page; null: a link in a mail opens it. The page about the API lists it. */
export const onlyOnSite = {
  steam: '/profile',
  twitch: '/profile',
  passkey: '/auth/signin',
  confirmation: '/profile/confirm',
  secondFactor: '/profile/second-factor',
  sessions: '/settings',
  tokens: '/settings/tokens',
  appCode: '/extension/code',
  freeze: '/settings/freeze',
  privacy: '/settings',
  wins: '/rewardHistory',
  announcing: '/rules',
  channel: '/channel',
  exports: '/rules/who-got-what',
  mails: null,
  operator: '/operator',
} as const;
