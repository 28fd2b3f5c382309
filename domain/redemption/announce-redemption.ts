import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Announces a redemption's change to the live pages of the rule's owner and, if registered, the viewer. */
export async function announceRedemption(
  tx: Tx,
  { ruleId, twitchId }: { ruleId: string; twitchId: string },
  nowMs: number,
): Promise<void> {
  const owners = await tx.select({ userId: rules.ownerId }).from(rules).where(eq(rules.id, ruleId));
  const viewers = await tx
    .select({ userId: twitchAccounts.userId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, twitchId));
  const readers = new Set([...owners, ...viewers].map(({ userId }) => userId));
  await announce(
    tx,
    [...readers].map((userId) => ({ userId, kind: 'rule.changed' as const, subjectId: ruleId })),
    nowMs,
  );
}
