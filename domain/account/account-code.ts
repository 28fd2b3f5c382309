/** Why an act on a person's account was refused. Verbs check them in this order. */
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
] as const;
export type AccountCode = (typeof accountCodes)[number];

/** The part of the union that one verb can answer. */
export type AccountCodeOf<Codes extends AccountCode> = Codes;
