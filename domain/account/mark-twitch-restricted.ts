import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';

/**
 * Notes that a grant is dead or lost a permission, so that its owner is asked to connect again; the rules on their
 * channel pause meanwhile, those of guests too. `obtainedAtMs` names the grant that failed; a newer one is left alone.
 */
export async function markTwitchRestricted(
  db: Database,
  input: { twitchId: string; obtainedAtMs: number },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'twitchGrantReplaced'>>> {
  const { twitchId, obtainedAtMs } = input;
  return db.transaction(async (tx) => {
    const [account] = await tx
      .update(twitchAccounts)
      .set({ state: 'restricted' })
      .where(and(eq(twitchAccounts.twitchId, twitchId), eq(twitchAccounts.tokenObtainedAtMs, obtainedAtMs)))
      .returning({ userId: twitchAccounts.userId });
    if (!account) return refuse('twitchGrantReplaced');
    await pauseRulesOf(tx, { channelId: twitchId, reason: 'lostPermission' }, nowMs);
    await announce(tx, [{ userId: account.userId, kind: 'account.changed', subjectId: twitchId }], nowMs);
    return done({});
  });
}
