import { and, eq, isNotNull } from 'drizzle-orm';
import { within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { recordPoolItem } from '#domain/draw/pool-changes.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';

/** The reasons why nobody can have the item of a promise. */
type Loss = 'depositReversed' | 'itemLost';

/**
 * Ends the reward of an item whose deposit was reversed, and mails the viewer to whom it was promised, unless
 * they want no mails. Nobody else can have the item. If it was free to be drawn, the rule's proof records
 * that it no longer is.
 */
export async function endRewardWithDeposit(tx: ChannelTx, itemId: string, nowMs: number): Promise<void> {
  const [live] = await tx
    .select({ id: rewards.id, state: rewards.state })
    .from(rewards)
    .where(and(eq(rewards.itemId, itemId), within(rewards.state, liveRewardStates)));
  if (!live) return;
  const patch = { steamId: null, recallReason: 'depositReversed' };
  const ended = await advanceReward(tx, live.id, 'depositReversed', patch, nowMs);
  if (!ended) return;
  if (live.state === 'free') await recordPoolItem(tx, { ...ended, cause: 'lost' }, nowMs);
  await notifyOfLoss(tx, live.id, 'depositReversed', nowMs);
}

/** Mails the viewer whose promise ended with its item, unless they want no mails. */
export async function notifyOfLoss(
  tx: ChannelTx,
  rewardId: string,
  template: Loss,
  nowMs: number,
): Promise<void> {
  const [ended] = await tx
    .select({
      recipient: users.email,
      locale: users.locale,
      name: users.name,
      item: items.name,
      rule: rules.name,
      channel: channels.displayName,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .innerJoin(
      users,
      and(eq(users.id, rewards.userId), isNotNull(users.emailVerifiedAtMs), eq(users.notifyByMail, true)),
    )
    .where(eq(rewards.id, rewardId));
  if (!ended) return;
  const { recipient, locale, ...values } = ended;
  await queueMail(tx, { recipient, locale, template, values }, nowMs);
}
