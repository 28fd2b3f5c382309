import type { RefreshTokenFault } from '#platform/steam-refresh-token.ts';

/**
 * The reasons why a bot is not logged on to Steam; stored with the bot and explained on the operator's page.
 */
export type BotFault =
  | RefreshTokenFault
  | 'credentialsRefused'
  | 'otherAccount'
  | 'sessionTaken'
  | 'guardCodeRefused'
  | 'loginsLimited'
  | 'accountDisabled'
  | 'webSessionRefused'
  | 'steamUnavailable';

/**
 * `again: true` retries automatically, with a pause that doubles up to the maximum. With `false` somebody has
 * to change something first.
 */
export interface LogOnVerdict {
  fault: BotFault;
  next: { again: true; pauseMs: number; maxPauseMs: number } | { again: false };
}

const minutes = (n: number) => n * 60_000;
const again = (fault: BotFault, pauseMs: number, maxPauseMs: number): LogOnVerdict => ({
  fault,
  next: { again: true, pauseMs, maxPauseMs },
});
const afterHuman = (fault: BotFault): LogOnVerdict => ({ fault, next: { again: false } });

/** EResult codes that end a session for good or refuse a log-on. */
const fatalResults = [5, 6, 15, 18, 27, 34, 43, 63, 65, 73, 84, 85, 87, 88] as const;
type FatalResult = (typeof fatalResults)[number];

const verdicts: Record<FatalResult, LogOnVerdict> = {
  /** InvalidPassword: wrong password or revoked token, if Steam has said so several times. */
  5: afterHuman('credentialsRefused'),
  /**
   * LoggedInElsewhere, LogonSessionReplaced: the account is in use elsewhere; an immediate log-on would start
   * a fight over it.
   */
  6: again('sessionTaken', minutes(2), minutes(60)),
  34: again('sessionTaken', minutes(2), minutes(60)),
  /** AccessDenied, AccountNotFound, Expired. */
  15: afterHuman('credentialsRefused'),
  18: afterHuman('credentialsRefused'),
  27: afterHuman('credentialsRefused'),
  /** AccountDisabled, AccountLockedDown. */
  43: afterHuman('accountDisabled'),
  73: afterHuman('accountDisabled'),
  /** AccountLogonDenied, NeedTwoFactor: Steam asks for a code that we cannot generate. */
  63: afterHuman('guardCodeRefused'),
  85: afterHuman('guardCodeRefused'),
  /** InvalidLoginAuthCode, TwoFactorCodeMismatch: the next code may be accepted. */
  65: again('guardCodeRefused', 35_000, minutes(60)),
  88: again('guardCodeRefused', 35_000, minutes(60)),
  /** RateLimitExceeded, AccountLoginDeniedThrottle: retrying sooner makes it worse. */
  84: again('loginsLimited', minutes(30), minutes(240)),
  87: again('loginsLimited', minutes(30), minutes(240)),
};

const isFatalResult = (result: number): result is FatalResult =>
  (fatalResults as readonly number[]).includes(result);

/** Maps a fatal error of steam-user to a verdict; unknown errors are retried. */
export const verdictOfLogOn = (result: number): LogOnVerdict =>
  isFatalResult(result) ? verdicts[result] : again('steamUnavailable', 10_000, minutes(10));

/**
 * Verdict on an account that is logged on but gets no web session. Steam sometimes refuses one for hours
 * (DoctorMcKay/node-steam-session#22).
 */
export const withoutWebSession = again('webSessionRefused', minutes(2), minutes(240));
