import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { queuePushes } from '#domain/push/queue-pushes.ts';
import { claimFailureOf } from '#domain/transfer/claim-failure.ts';

/**
 * Reads the last claim of a reward and the viewer to mail about it; undefined if the viewer wants no mails.
 */
async function readClaim(tx: Tx, rewardId: string) {
  const [claim] = await tx
    .select({
      userId: users.id,
      recipient: users.email,
      locale: users.locale,
      facts: {
        name: users.name,
        item: items.name,
        rule: rules.name,
        channel: channels.displayName,
        rewardId: rewards.id,
      },
      claimUntilMs: rewards.claimUntilMs,
      code: transfers.securityCode,
      offer: {
        state: transfers.state,
        cancelWanted: transfers.cancelWanted,
        sentAtMs: transfers.sentAtMs,
        lastError: transfers.lastError,
      },
    })
    .from(rewards)
    .innerJoin(transfers, eq(transfers.rewardId, rewards.id))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .innerJoin(
      users,
      and(eq(users.id, rewards.userId), isNotNull(users.emailVerifiedAtMs), eq(users.notifyByMail, true)),
    )
    .where(eq(rewards.id, rewardId))
    .orderBy(desc(transfers.id))
    .limit(1);
  return claim;
}

/**
 * Mails the viewer whose promise ended because its last offer failed, unless they have turned mails off. A
 * viewer who cancelled the claim gets no mail, because they know.
 */
export async function notifyOfFailedClaim(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const claim = await readClaim(tx, rewardId);
  const why = claim && claimFailureOf(claim.offer)?.kind;
  if (!claim || !why || why === 'withdrawn') return;
  const { recipient, locale, facts } = claim;
  await queueMail(tx, { recipient, locale, template: 'claimFailed', values: { ...facts, why } }, nowMs);
}

/**
 * Mails the viewer that they can claim again. A viewer who declined the offer or cancelled the claim gets no
 * mail, because they know.
 */
export async function notifyOfClaimToRepeat(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const claim = await readClaim(tx, rewardId);
  const why = claim && claimFailureOf(claim.offer)?.kind;
  if (!claim?.claimUntilMs || !why || why === 'declined' || why === 'withdrawn') return;
  const { recipient, locale, facts } = claim;
  const values = { ...facts, why, claimUntilMs: String(claim.claimUntilMs) };
  await queueMail(tx, { recipient, locale, template: 'claimFailed', values }, nowMs);
}

/** Mails the viewer who accepted the offer, if their plan includes mails about rewards. */
export async function notifyOfDelivery(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const claim = await readClaim(tx, rewardId);
  if (!claim) return;
  const { userId, recipient, locale, facts, code } = claim;
  if (!(await limitsOf(tx, userId, nowMs)).rewardMails) return;
  const values = { ...facts, code, deliveredMs: String(nowMs) };
  await queueMail(tx, { recipient, locale, template: 'rewardDelivered', values }, nowMs);
}

/** Tells the devices of the viewer who accepted the offer, if their plan includes news of deliveries. */
export async function pushDelivery(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const [reward] = await tx.select({ userId: rewards.userId }).from(rewards).where(eq(rewards.id, rewardId));
  if (!reward?.userId || !(await limitsOf(tx, reward.userId, nowMs)).rewardMails) return;
  const { userId } = reward;
  await queuePushes(tx, [{ userId, event: 'delivered', rewardId, subjectId: rewardId }], nowMs);
}
