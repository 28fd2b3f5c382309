import { and, asc, eq, isNotNull } from 'drizzle-orm';
import { type Database, holdLock } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { consumeEmailLinks } from '#domain/identity/email/consume-email-links.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { channelLock, itemsLock, rulesLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { cancelRaffleOfRule } from '#domain/raffle/cancel-raffle.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { closeRuleIn } from '#domain/rule/close-rule.ts';
import type { FreezeChoice } from './freeze-choice.ts';
import { type FrozenRule, listFrozenRules } from './list-frozen-rules.ts';
import { thawRule } from './thaw-rule.ts';

export type EndFreezeRefusal = 'identityUnconfirmed' | 'choiceMissing';

/**
 * Ends a freeze for the account's owner, and settles each frozen rule as they chose. They have just proved
 * who they are, in a session newer than the freeze, which ended all others. The owner is mailed, with a link
 * that freezes the same again. Each rule is settled in a transaction of its own, and the account last: after
 * an interruption the rest is still frozen, and the owner ends it again. Without a freeze it changes nothing.
 */
export async function endFreeze(
  db: Database,
  request: { userId: string; choices: Readonly<Record<string, FreezeChoice>>; unconfirmed?: boolean },
  nowMs: number,
): Promise<Outcome<{ ended: boolean }, EndFreezeRefusal>> {
  const { userId, choices, unconfirmed = false } = request;
  if (!(await findFreeze(db.read, { userId }))) return done({ ended: false });
  if (unconfirmed) return refuse('identityUnconfirmed');
  const frozen = await listFrozenRules(db.read, { userId });
  const chosen = frozen.flatMap((rule) => {
    const choice = choices[rule.id];
    return choice ? [{ rule, choice }] : [];
  });
  if (chosen.length < frozen.length) return refuse('choiceMissing');
  for (const { rule, choice } of chosen) {
    if (choice === 'takeBack') await takeBack(db, { userId, rule }, nowMs);
    await goOn(db, rule, nowMs);
  }
  return finish(db, userId, nowMs);
}

async function goOn(db: Database, { id, channelId }: FrozenRule, nowMs: number): Promise<void> {
  await db.transaction((tx) => thawRule(tx, { ruleId: id }, nowMs), { lock: channelLock(channelId) });
  await serveInRounds(db, channelId, [id], nowMs);
}

/**
 * Closes the rule and stops its promises. The rule stays frozen meanwhile, so that nothing is claimed in
 * between.
 */
async function takeBack(
  db: Database,
  { userId: ownerId, rule }: { userId: string; rule: FrozenRule },
  nowMs: number,
): Promise<void> {
  await db.transaction(
    async (tx) => {
      await closeRuleIn(tx, rule.id, nowMs);
      await cancelRaffleOfRule(tx, rule.id, nowMs);
    },
    { lock: channelLock(rule.channelId) },
  );
  const pending = await db.read
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.ruleId, rule.id), within(rewards.state, pendingRewardStates)))
    .orderBy(asc(rewards.id));
  // A claim whose offer was accepted meanwhile stands.
  for (const { id: rewardId } of pending)
    await stopClaim(db, { rewardId, ownerId, reason: 'accountStolen' }, nowMs);
}

async function finish(
  db: Database,
  userId: string,
  nowMs: number,
): Promise<Outcome<{ ended: boolean }, EndFreezeRefusal>> {
  return db.transaction(
    async (tx) => {
      await holdLock(tx, itemsLock(userId));
      const freeze = await findFreeze(tx, { userId });
      if (!freeze) return done({ ended: false });
      // Excludes rules frozen since, because another link may have been used meanwhile.
      const frozen = and(eq(rules.ownerId, userId), isNotNull(rules.frozenAtMs));
      if ((await tx.$count(rules, frozen)) > 0) return refuse('choiceMissing');
      const [user] = await tx
        .update(users)
        .set({ frozenAtMs: null, disownedFromMs: null })
        .where(eq(users.id, userId))
        .returning({ email: users.email });
      // Links to an earlier address stay: whoever took the account over may have changed the address and be the one who ends this.
      await consumeEmailLinks(tx, { userId, purposes: ['disown'], email: user?.email ?? '' }, nowMs);
      await notifyOfChange(tx, { userId, change: 'freezeEnded', actAtMs: freeze.actAtMs }, nowMs);
      await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
      return done({ ended: true });
    },
    { lock: rulesLock(userId) },
  );
}
