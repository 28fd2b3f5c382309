import { and, eq, isNotNull } from 'drizzle-orm';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards, type StopReason } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { reofferItem } from './reoffer-item.ts';

/**
 * Decides what happens to the item of a stopped claim. If the rule itself may be wrong, the item comes off
 * the rule, because the next viewer may be the same person once more.
 */
const itemAfter: Record<StopReason, 'offeredAgain' | 'offTheRule'> = {
  accountStolen: 'offTheRule',
  ruleAbused: 'offeredAgain',
  mistake: 'offTheRule',
};

/**
 * Ends a promise whose claim the owner stopped, and mails its viewer the reason, regardless of mail
 * preferences, because the reward was theirs. The row stays, so that the rule promises them nothing again.
 * `stopped` ends a promise that was not claimed, `offerStopped` a claim whose offer has ended. Returns false
 * if it is in another state by now.
 */
export async function endStoppedClaim(
  tx: ChannelTx,
  rewardId: string,
  event: 'stopped' | 'offerStopped',
  stop: { stopReason: StopReason; stopAskedAtMs?: number },
  nowMs: number,
): Promise<boolean> {
  const patch = { ...stop, steamId: null, recallReason: 'stopped' };
  const stopped = await advanceReward(tx, rewardId, event, patch, nowMs);
  if (!stopped) return false;
  await notifyOfStop(tx, rewardId, stop.stopReason, nowMs);
  if (itemAfter[stop.stopReason] === 'offeredAgain') await reofferItem(tx, stopped, nowMs);
  return true;
}

async function notifyOfStop(tx: ChannelTx, rewardId: string, reason: StopReason, nowMs: number) {
  const [stopped] = await tx
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
    .innerJoin(users, and(eq(users.id, rewards.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(eq(rewards.id, rewardId));
  if (!stopped) return;
  const { recipient, locale, ...facts } = stopped;
  await queueMail(tx, { recipient, locale, template: 'claimStopped', values: { ...facts, reason } }, nowMs);
}
