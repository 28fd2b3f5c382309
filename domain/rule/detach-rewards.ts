import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { recordPoolChanges } from '#domain/draw/pool-changes.ts';
import { kindNameOf } from '#domain/item/kind-name.ts';
import type { KindAmount } from '#domain/item/oldest-of-kind.ts';
import { newId } from '#domain/kernel/id.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { firstTime } from '#domain/outbox/first-time.ts';
import { advanceRewards } from '#domain/reward/advance-reward.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';

export type DetachRefusal = 'notFound' | 'nothingPicked' | 'notEnough';

/**
 * Detaches free rewards from a rule by kind and quantity, last attached first. Promised rewards are never detached, and
 * neither are those of a raffle: they belong to whoever it will be drawn for. A repeated `requestId` detaches nothing.
 */
export async function detachRewards(
  db: Database,
  request: { requestId?: string; ruleId: string; userId: string; kinds: readonly KindAmount[] },
  nowMs: number,
): Promise<Outcome<{ detached: number }, DetachRefusal>> {
  const { ruleId, userId, kinds, requestId = newId(nowMs) } = request;
  const rule = await findRuleOf(db.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  const wanted = kinds.filter((kind) => kind.quantity > 0);
  if (wanted.length === 0) return refuse('nothingPicked');
  type Answer = Outcome<{ detached: number }, DetachRefusal>;
  return refusable<Answer, DetachRefusal>(() =>
    db.transaction(
      async (tx) => {
        if (!(await firstTime(tx, { requestId, userId, kind: 'rule.changed', subjectId: ruleId }, nowMs)))
          return done({ detached: 0 });
        let detached = 0;
        for (const kind of wanted) {
          const free = await tx
            .select({ id: rewards.id })
            .from(rewards)
            .innerJoin(items, eq(items.id, rewards.itemId))
            .where(
              and(
                eq(rewards.ruleId, ruleId),
                is(rewards.state, 'free'),
                eq(items.appId, kind.appId),
                eq(items.marketHashName, kind.marketHashName),
                eq(items.traits, kind.traits ?? ''),
              ),
            )
            .orderBy(desc(rewards.position))
            .limit(kind.quantity);
          if (free.length < kind.quantity) throw new Refused<DetachRefusal>('notEnough');
          const ids = free.map(({ id }) => id);
          detached += await detachFree(tx, { ownerId: userId, ids, recallReason: 'detached' }, nowMs);
        }
        const changes = wanted.map((kind) => ({
          appId: kind.appId,
          kindName: kindNameOf(kind),
          cause: 'removed' as const,
          added: -kind.quantity,
        }));
        await recordPoolChanges(tx, { ruleId, changes }, nowMs);
        // The event inserted by `firstTime` has the request's id, which is as old as the page; live readers do not
        // look back that far.
        await announce(tx, [{ userId, kind: 'rule.changed', subjectId: ruleId }], nowMs);
        return done({ detached });
      },
      { lock: channelLock(rule.channelId) },
    ),
  );
}

/** Detaches these free rewards in the caller's transaction, however many they are. Returns how many there were. */
export async function detachFree(
  tx: ChannelTx,
  { ownerId, ids, recallReason }: { ownerId: string; ids: readonly string[]; recallReason: string },
  nowMs: number,
): Promise<number> {
  const steps = ids.map((id) => ({
    reward: { id, state: 'free' as const, userId: null, ownerId },
    patch: { recallReason },
  }));
  return (await advanceRewards(tx, 'detached', steps, nowMs)).size;
}
