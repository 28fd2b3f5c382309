import type { Database } from '#db/database.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { isLiveSession } from '#domain/identity/session/is-live-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { lockSecondFactor } from './prove-second-factor.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';

/**
 * Issues ten new recovery codes, returned here only; earlier ones stop working. The owner is mailed. A
 * session that ended meanwhile gets none; turning the second factor on elsewhere may have signed it out.
 */
export async function renewRecoveryCodes(
  db: Database,
  { userId, currentToken }: { userId: string; currentToken: string },
  nowMs: number,
): Promise<Outcome<{ recoveryCodes: string[] }, AccountCodeOf<'secondFactorOff' | 'sessionUnknown'>>> {
  return db.transaction(async (tx) => {
    if ((await lockSecondFactor(tx, userId)) === null) return refuse('secondFactorOff');
    if (!(await isLiveSession(tx, { userId, token: currentToken }, nowMs))) return refuse('sessionUnknown');
    const recoveryCodes = await replaceRecoveryCodes(tx, userId, nowMs);
    await notifyOfChange(tx, { userId, change: 'recoveryCodesRenewed' }, nowMs);
    return done({ recoveryCodes });
  });
}
