import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import {
  type CustomRewardFault,
  type CustomRewardState,
  customRewards,
  redemptions,
} from '#db/schema/redemption.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { firstMissed, isAbsent } from '#domain/channel/absence.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { advanceRedemption } from '#domain/redemption/advance-redemption.ts';

/**
 * Records that creation of a rule's custom reward has begun, before calling Twitch, so that after a crash the next
 * process knows it may exist. Returns false if creation had already begun.
 */
export async function beginCustomReward(
  db: Database,
  { ruleId, channelId }: { ruleId: string; channelId: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const begun = await tx
      .insert(customRewards)
      .values({ ruleId, channelId })
      .onConflictDoNothing()
      .returning({ ruleId: customRewards.ruleId });
    return begun.length === 1;
  });
}

/** Records the state Twitch confirmed for a rule's custom reward. A deleted one keeps its id. */
export async function confirmCustomReward(
  db: Database,
  { ruleId, ...confirmed }: { ruleId: string; state: CustomRewardState; twitchRewardId?: string },
  nowMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(customRewards)
      .set({ ...confirmed, fault: null, retryAtMs: 0, missedAtMs: null })
      .where(eq(customRewards.ruleId, ruleId));
    await announceToOwner(tx, ruleId, nowMs);
  });
}

/**
 * Records that Twitch refused a request, with the fault if users should see it, and when to retry (system time). The
 * owner is mailed once that the channel cannot have custom rewards, or that its words are refused.
 */
export async function deferCustomReward(
  db: Database,
  { ruleId, ...trouble }: { ruleId: string; fault: CustomRewardFault | null; retryAtMs: number },
  nowMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [before] = await tx
      .select({ fault: customRewards.fault })
      .from(customRewards)
      .where(eq(customRewards.ruleId, ruleId));
    await tx.update(customRewards).set(trouble).where(eq(customRewards.ruleId, ruleId));
    if (!before || before.fault === trouble.fault) return;
    await announceToOwner(tx, ruleId, nowMs);
    const template = trouble.fault && letters[trouble.fault];
    if (template) await writeToOwner(tx, { ruleId, template }, nowMs);
  });
}

/** The letters about faults that only a person can end, and of which Twitch itself tells nobody. */
const letters = {
  notAffiliate: 'noChannelPoints',
  wordsRefused: 'rewardWordsRefused',
  tooMany: null,
  titleTaken: null,
  permissionMissing: null,
} as const satisfies Record<CustomRewardFault, string | null>;

async function writeToOwner(
  tx: Tx,
  { ruleId, template }: { ruleId: string; template: NonNullable<(typeof letters)[CustomRewardFault]> },
  nowMs: number,
): Promise<void> {
  const [found] = await tx
    .select({ owner: users, channel: channels.displayName, rule: rules.name })
    .from(rules)
    .innerJoin(users, eq(users.id, rules.ownerId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(eq(rules.id, ruleId));
  if (!found?.owner.emailVerifiedAtMs) return;
  const { email: recipient, locale, name } = found.owner;
  const values = { name, channel: found.channel, rule: found.rule, ruleId };
  await queueMail(tx, { recipient, locale, template, values }, nowMs);
}

/**
 * Records that Twitch does not show a custom reward. After a second such look some minutes later it was deleted by
 * hand: Twitch fulfilled its open redemptions, so we do too, and a rule that is not closed gets a new custom reward.
 * Returns how many redemptions ended; null if it may still exist.
 */
export async function recordMissingCustomReward(
  db: Database,
  { ruleId, channelId, twitchRewardId }: { ruleId: string; channelId: string; twitchRewardId: string },
  nowMs: number,
): Promise<number | null> {
  const missing = and(eq(customRewards.ruleId, ruleId), eq(customRewards.twitchRewardId, twitchRewardId));
  return db.transaction(
    async (tx) => {
      const [found] = await tx
        .select({ missedAtMs: customRewards.missedAtMs })
        .from(customRewards)
        .where(missing);
      if (!found) return 0;
      if (!isAbsent(found.missedAtMs, nowMs)) {
        const missedAtMs = firstMissed(found.missedAtMs, nowMs);
        await tx.update(customRewards).set({ missedAtMs }).where(missing);
        return null;
      }
      await tx
        .update(customRewards)
        .set({ state: 'missing', twitchRewardId: null, fault: null, retryAtMs: 0, missedAtMs: null })
        .where(missing);
      const open = await tx
        .select({ id: redemptions.id })
        .from(redemptions)
        .where(and(eq(redemptions.ruleId, ruleId), is(redemptions.state, 'open')));
      for (const { id } of open) await advanceRedemption(tx, id, 'fulfilled', nowMs);
      await announceToOwner(tx, ruleId, nowMs);
      return open.length;
    },
    { lock: channelLock(channelId) },
  );
}

/** Records that Twitch shows a custom reward again that a look had missed. */
export async function recordSeenCustomReward(db: Database, { ruleId }: { ruleId: string }): Promise<void> {
  await db.transaction((tx) =>
    tx.update(customRewards).set({ missedAtMs: null }).where(eq(customRewards.ruleId, ruleId)),
  );
}

async function announceToOwner(tx: Tx, ruleId: string, nowMs: number): Promise<void> {
  const owners = await tx.select({ userId: rules.ownerId }).from(rules).where(eq(rules.id, ruleId));
  const announced = owners.map(({ userId }) => ({
    userId,
    kind: 'rule.changed' as const,
    subjectId: ruleId,
  }));
  await announce(tx, announced, nowMs);
}
