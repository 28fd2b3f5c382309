/** Refusals of account actions, in the order they are checked. */
export const accountCodes = [
  'emailTaken',
  'wrongCredentials',
  'captchaSpent',
  'verificationUnknown',
  'verificationUsed',
  'verificationExpired',
  'alreadyVerified',
  'unverified',
  'resetLinkBad',
  'emailUnchanged',
  'twitchUnknown',
  'twitchLinkedElsewhere',
  'otherTwitchLinked',
  'twitchEmailMissing',
  'twitchNotLinked',
  'twitchGrantReplaced',
  'passwordMissing',
  'passwordWrong',
  'steamLinkedElsewhere',
  'otherSteamLinked',
  'tradeLinkMalformed',
  'steamNotLinked',
  'tradeLinkNotYours',
  'nonceReplayed',
  'tooManyTokens',
  'tokenUnknown',
  'extensionCodeUnknown',
  'sessionUnknown',
  'transfersLive',
  'itemsHeld',
  'subscriptionLive',
  'identityUnconfirmed',
] as const;
export type AccountCode = (typeof accountCodes)[number];

/** The codes one function can return. */
export type AccountCodeOf<Codes extends AccountCode> = Codes;
