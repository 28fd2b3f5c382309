import type { TextKey } from '#app/locales/translation.ts';
import type { SteamSignInCode } from '#app/services/sign-in/steam-open-id.server.ts';
import type { TwitchSignInCode } from '#app/services/sign-in/twitch-sign-in.server.ts';
import type { ContactCode } from '#domain/contact/contact-code.ts';
import type { AccountCode } from '#domain/identity/account-code.ts';

/** The presentation of a refusal: the response status and the text. */
export interface RefusalText {
  status: number;
  key: TextKey;
  /** A way out, if the text alone does not name one. */
  hint?: TextKey;
}

/** All refusals of the account verbs. */
export const accountRefusals: Record<AccountCode, RefusalText> = {
  emailTaken: { status: 409, key: 'errors.account.emailTaken' },
  wrongCredentials: { status: 400, key: 'errors.session.badCredentials' },
  captchaSpent: { status: 400, key: 'errors.captcha.invalid' },
  verificationUnknown: { status: 404, key: 'errors.account.verificationUnknown' },
  verificationUsed: { status: 410, key: 'errors.account.verificationUsed' },
  verificationExpired: { status: 410, key: 'errors.account.verificationExpired' },
  alreadyVerified: { status: 409, key: 'errors.account.alreadyVerified' },
  unverified: { status: 403, key: 'errors.user.unverified' },
  resetLinkBad: { status: 400, key: 'errors.session.badCredentials' },
  disownLinkBad: { status: 404, key: 'errors.account.disownLinkBad' },
  emailUnchanged: { status: 400, key: 'errors.account.emailUnchanged' },
  twitchUnknown: { status: 404, key: 'errors.account.twitchUnknown' },
  twitchLinkedElsewhere: { status: 409, key: 'errors.account.twitchLinkedElsewhere' },
  otherTwitchLinked: { status: 409, key: 'errors.account.otherTwitchLinked' },
  twitchEmailMissing: { status: 409, key: 'errors.account.twitchEmailMissing' },
  twitchNotLinked: { status: 409, key: 'errors.account.twitchNotLinked' },
  twitchGrantReplaced: { status: 409, key: 'errors.common.unexpected' },
  passwordMissing: { status: 409, key: 'errors.account.passwordMissing' },
  passwordCommon: { status: 400, key: 'errors.account.passwordCommon' },
  passwordPersonal: { status: 400, key: 'errors.account.passwordPersonal' },
  passwordWrong: { status: 400, key: 'errors.account.passwordWrong' },
  steamLinkedElsewhere: { status: 409, key: 'errors.account.steamLinkedElsewhere' },
  otherSteamLinked: { status: 409, key: 'errors.account.otherSteamLinked' },
  tradeLinkMalformed: { status: 400, key: 'errors.account.tradeLinkMalformed' },
  steamNotLinked: { status: 409, key: 'errors.account.steamNotLinked' },
  tradeLinkNotYours: { status: 400, key: 'errors.account.tradeLinkNotYours' },
  nonceReplayed: { status: 409, key: 'errors.steam.notStartedHere' },
  tooManyTokens: { status: 409, key: 'errors.account.tooManyTokens' },
  tokenUnknown: { status: 404, key: 'errors.account.tokenUnknown' },
  extensionCodeUnknown: { status: 400, key: 'errors.account.extensionCodeUnknown' },
  accessRequestUnknown: { status: 400, key: 'errors.account.accessRequestUnknown' },
  sessionUnknown: { status: 404, key: 'errors.account.sessionUnknown' },
  transfersLive: { status: 409, key: 'errors.account.transfersLive' },
  subscriptionLive: { status: 503, key: 'errors.account.subscriptionLive' },
  itemsHeld: { status: 409, key: 'errors.account.itemsHeld' },
  secondFactorNeeded: { status: 403, key: 'errors.account.secondFactorNeeded' },
  userUnknown: { status: 404, key: 'errors.account.userUnknown' },
  signInExpired: { status: 400, key: 'errors.account.signInExpired' },
  authenticatorOn: { status: 409, key: 'errors.account.authenticatorOn' },
  authenticatorOff: { status: 409, key: 'errors.account.authenticatorOff' },
  secondFactorOff: { status: 409, key: 'errors.account.secondFactorOff' },
  setupUnknown: { status: 410, key: 'errors.account.setupUnknown' },
  secondFactorWrong: { status: 400, key: 'errors.account.secondFactorWrong' },
  passkeyRefused: { status: 400, key: 'errors.account.passkeyRefused' },
  passkeyKnown: { status: 409, key: 'errors.account.passkeyKnown' },
  passkeyUnknown: { status: 404, key: 'errors.account.passkeyUnknown' },
  tooManyPasskeys: { status: 409, key: 'errors.account.tooManyPasskeys' },
  identityUnconfirmed: { status: 403, key: 'errors.account.identityUnconfirmed' },
};

/** All refusals of the verbs about messages to the operator. */
export const contactRefusals: Record<ContactCode, RefusalText> = {
  captchaSpent: { status: 400, key: 'errors.captcha.invalid' },
  linkUnknown: { status: 404, key: 'errors.contact.linkUnknown' },
  linkUsed: { status: 410, key: 'errors.contact.linkUsed' },
  linkExpired: { status: 410, key: 'errors.contact.linkExpired' },
};

/** The captcha was not solved, or its challenge was not issued here. */
export const invalidCaptcha: RefusalText = { status: 400, key: 'errors.captcha.invalid' };

/** Steam itself reports that offers do not reach this link. */
export const deadTradeLink: RefusalText = { status: 400, key: 'errors.account.tradeLinkDead' };

/** All ways in which a sign-in with Twitch can fail. */
export const twitchRefusals: Record<TwitchSignInCode, RefusalText> = {
  notConfigured: { status: 503, key: 'errors.twitch.notConfigured' },
  notStartedHere: { status: 400, key: 'errors.twitch.notStartedHere' },
  denied: { status: 400, key: 'errors.twitch.denied' },
  refused: { status: 400, key: 'errors.twitch.refused' },
  unavailable: { status: 503, key: 'errors.twitch.unavailable' },
};

/** All ways in which a sign-in with Steam can fail. Forged answers get no details. */
export const steamRefusals: Record<SteamSignInCode, RefusalText> = {
  notStartedHere: { status: 400, key: 'errors.steam.notStartedHere' },
  cancelled: { status: 400, key: 'errors.steam.cancelled' },
  forged: { status: 400, key: 'errors.steam.notStartedHere' },
  stale: { status: 400, key: 'errors.steam.notStartedHere' },
  replayed: { status: 400, key: 'errors.steam.notStartedHere' },
  unavailable: { status: 503, key: 'errors.steam.unavailable' },
};
