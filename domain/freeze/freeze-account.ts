import { and, eq, gte, isNotNull, isNull, or, type SQL } from 'drizzle-orm';
import { holdLock, type Tx } from '#db/database.ts';
import { isAmong, within } from '#db/dialect.ts';
import { raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { itemsLock, lockChannels, rulesLock } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';

/**
 * Freezes everything that an account's owner disowned: every rule that was opened, or given rewards, since
 * then, and all returns. Until the owner ends the freeze (`endFreeze`), nothing of it is promised, claimed or
 * sent, no claim window runs out, and no rule is opened. Bots cancel offers that are on Steam already
 * (`withdrawFrozen`). Runs in the caller's transaction, before it takes other locks. An account that is
 * frozen already stays so, from the earlier of the two acts.
 */
export async function freezeAccount(
  tx: Tx,
  { userId, actAtMs }: { userId: string; actAtMs: number },
  nowMs: number,
): Promise<{ rules: number }> {
  const before = await listGivenSince(tx, userId, actAtMs);
  await lockChannels(
    tx,
    before.map(({ channelId }) => channelId),
  );
  // Opening a rule, adding rewards and returning items take these locks: each is either done before, or finds
  // the account frozen.
  await holdLock(tx, rulesLock(userId));
  await holdLock(tx, itemsLock(userId));
  const given = await listGivenSince(tx, userId, actAtMs);
  const [user] = await tx
    .select({ frozenAtMs: users.frozenAtMs, disownedFromMs: users.disownedFromMs })
    .from(users)
    .where(eq(users.id, userId));
  await tx
    .update(users)
    .set({
      frozenAtMs: user?.frozenAtMs ?? nowMs,
      disownedFromMs: Math.min(user?.disownedFromMs ?? actAtMs, actAtMs),
    })
    .where(eq(users.id, userId));
  const ids = given.map(({ id }) => id);
  const isNew = and(isAmong(rules.id, ids), isNull(rules.frozenAtMs));
  await tx.update(rules).set({ frozenAtMs: nowMs }).where(isNew);
  const changed = ids.map((subjectId) => ({ userId, kind: 'rule.changed' as const, subjectId }));
  await announce(tx, changed, nowMs);
  return { rules: ids.length };
}

/**
 * Lists the rules of an owner that were given rewards since then, closed or not, those that were opened since and still
 * exist, and those of raffles that were started since.
 */
async function listGivenSince(
  tx: Tx,
  ownerId: string,
  sinceMs: number,
): Promise<{ id: string; channelId: string }[]> {
  const given = await tx
    .selectDistinct({ id: rewards.ruleId })
    .from(rewards)
    .where(and(eq(rewards.ownerId, ownerId), gte(rewards.attachedAtMs, sinceMs)));
  const read = (which: SQL | undefined) =>
    tx.select({ id: rules.id, channelId: rules.channelId }).from(rules).where(which);
  const opened = await read(
    and(
      eq(rules.ownerId, ownerId),
      // One that took the place of another has rewards that nobody attached to it.
      or(within(rules.state, liveRuleStates), isNotNull(rules.succeedsId)),
      gte(rules.createdAtMs, sinceMs),
    ),
  );
  const started = await tx
    .select({ id: raffles.ruleId })
    .from(raffles)
    .where(and(eq(raffles.ownerId, ownerId), gte(raffles.startedAtMs, sinceMs)));
  const ids = [...new Set([...given, ...started].map(({ id }) => id))].filter((id) =>
    opened.every((rule) => rule.id !== id),
  );
  return ids.length === 0 ? opened : [...opened, ...(await read(isAmong(rules.id, ids)))];
}
