import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { isLiveSession } from '#domain/identity/session/is-live-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { findSetup } from './begin-authenticator.ts';
import { beginSecondFactor } from './begin-second-factor.ts';
import { lockSecondFactor, type Times } from './prove-second-factor.ts';
import { stepOfTotp } from './totp.ts';

/**
 * Turns an authenticator app on by a code that it shows, in the session that began its setup. A first second factor
 * brings ten recovery codes, which are returned here only, and signs other browsers out (see `beginSecondFactor`). The
 * owner is mailed. Refused to a session that ended meanwhile.
 */
export async function enableAuthenticator(
  db: Database,
  input: { userId: string; code: string; currentToken: string },
  { nowMs, systemMs }: Times,
): Promise<
  Outcome<
    { recoveryCodes: string[] | null },
    AccountCodeOf<'sessionUnknown' | 'setupUnknown' | 'secondFactorWrong'>
  >
> {
  const { userId, code, currentToken } = input;
  return db.transaction(async (tx) => {
    const sinceMs = await lockSecondFactor(tx, userId);
    if (!(await isLiveSession(tx, { userId, token: currentToken }, nowMs))) return refuse('sessionUnknown');
    const setup = await findSetup(tx, { userId, currentToken }, nowMs);
    if (!setup) return refuse('setupUnknown');
    const step = stepOfTotp(setup.secret, code.replaceAll(/\s/g, ''), systemMs);
    if (step === null) return refuse('secondFactorWrong');
    await tx
      .update(authenticators)
      .set({ confirmedAtMs: nowMs, lastStep: step, begunBySession: null })
      .where(eq(authenticators.userId, userId));
    const recoveryCodes =
      sinceMs === null ? await beginSecondFactor(tx, { userId, currentToken }, nowMs) : null;
    await notifyOfChange(tx, { userId, change: 'authenticatorOn' }, nowMs);
    return done({ recoveryCodes });
  });
}
