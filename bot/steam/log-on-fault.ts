import type { RefreshTokenFault } from '#bot/steam/refresh-token.ts';

/** Why a bot is not on Steam; stored with the bot and worded by the operator's page. */
export type BotFault =
  | RefreshTokenFault
  | 'credentialsRefused'
  | 'sessionTaken'
  | 'guardCodeRefused'
  | 'loginsLimited'
  | 'accountDisabled'
  | 'steamUnavailable';

/** `again`: by itself after a pause that doubles up to the longest. `human`: not before somebody changed something. */
export interface LogOnVerdict {
  fault: BotFault;
  next: { again: true; pauseMs: number; longestMs: number } | { again: false };
}

const minutes = (n: number) => n * 60_000;
const again = (fault: BotFault, pauseMs: number, longestMs: number): LogOnVerdict => ({
  fault,
  next: { again: true, pauseMs, longestMs },
});
const afterHuman = (fault: BotFault): LogOnVerdict => ({ fault, next: { again: false } });

/** The results that end a session for good, or refuse one (EResult). */
const fatalResults = [5, 6, 15, 18, 27, 34, 43, 63, 65, 73, 84, 85, 87, 88] as const;
type FatalResult = (typeof fatalResults)[number];

const verdicts: Record<FatalResult, LogOnVerdict> = {
  /** InvalidPassword: a wrong password, or a token that was revoked. */
  5: afterHuman('credentialsRefused'),
  /** LoggedInElsewhere, LogonSessionReplaced: somebody else uses the account; taking it back at once would be a war. */
  6: again('sessionTaken', minutes(2), minutes(60)),
  34: again('sessionTaken', minutes(2), minutes(60)),
  /** AccessDenied, AccountNotFound, Expired. */
  15: afterHuman('credentialsRefused'),
  18: afterHuman('credentialsRefused'),
  27: afterHuman('credentialsRefused'),
  /** AccountDisabled, AccountLockedDown. */
  43: afterHuman('accountDisabled'),
  73: afterHuman('accountDisabled'),
  /** AccountLogonDenied and NeedTwoFactor: a code is asked for that we cannot make. */
  63: afterHuman('guardCodeRefused'),
  85: afterHuman('guardCodeRefused'),
  /** InvalidLoginAuthCode, TwoFactorCodeMismatch: the next code may be right; a few tries tell. */
  65: again('guardCodeRefused', 35_000, minutes(60)),
  88: again('guardCodeRefused', 35_000, minutes(60)),
  /** RateLimitExceeded, AccountLoginDeniedThrottle: trying sooner makes it worse. */
  84: again('loginsLimited', minutes(30), minutes(240)),
  87: again('loginsLimited', minutes(30), minutes(240)),
};

const isFatalResult = (result: number): result is FatalResult =>
  (fatalResults as readonly number[]).includes(result);

/** What a fatal error of steam-user means for the bot; an unknown one is tried again. */
export const verdictOfLogOn = (result: number | undefined): LogOnVerdict =>
  result !== undefined && isFatalResult(result)
    ? verdicts[result]
    : again('steamUnavailable', 10_000, minutes(10));
