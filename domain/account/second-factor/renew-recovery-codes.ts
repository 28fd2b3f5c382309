import type { Database } from '#db/database.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { notifyOfChange } from '#domain/account/notify-of-change.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { lockSecondFactor } from './prove-second-factor.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';

/** Issues ten new recovery codes, returned here only; earlier ones stop working. The owner is mailed. */
export async function renewRecoveryCodes(
  db: Database,
  { userId }: { userId: string },
  nowMs: number,
): Promise<Outcome<{ recoveryCodes: string[] }, AccountCodeOf<'secondFactorOff'>>> {
  return db.transaction(async (tx) => {
    if ((await lockSecondFactor(tx, userId)) === null) return refuse('secondFactorOff');
    const recoveryCodes = await replaceRecoveryCodes(tx, userId, nowMs);
    await notifyOfChange(tx, { userId, change: 'recoveryCodesRenewed' }, nowMs);
    return done({ recoveryCodes });
  });
}
