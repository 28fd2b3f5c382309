import type { Tx } from '#db/database.ts';
import { hour } from '#domain/clock.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import type { ServedRule, Waiting } from '#domain/reward/waiting-list.ts';

/** A free reward that may be promised. */
export interface FreeReward {
  id: string;
  itemName: string;
  /** The draw that took it, where one did. */
  drawn?: { number: number; fingerprint: string };
}

/** Promises a free reward to a viewer and writes the mail that says so. False when the reward is not free any more. */
export async function promiseReward(
  tx: Tx,
  rule: ServedRule,
  reward: FreeReward,
  viewer: Waiting,
  nowMs: number,
): Promise<boolean> {
  const claimUntilMs = nowMs + rule.claimTimeoutHours * hour;
  const promised = await advanceReward(
    tx,
    reward.id,
    'promised',
    { twitchId: viewer.twitchId, userId: viewer.userId, promisedAtMs: nowMs, claimUntilMs },
    nowMs,
  );
  if (!promised) return false;
  // Whether it may be sent was read in this transaction: a choice made before it holds.
  if (!viewer.notifyByMail) return true;
  await queueMail(
    tx,
    {
      recipient: viewer.email,
      locale: viewer.locale,
      template: 'rewardPromised',
      values: {
        name: viewer.name,
        item: reward.itemName,
        channel: rule.channelName,
        rule: rule.name,
        claimUntilMs: String(claimUntilMs),
        ...(reward.drawn && {
          proof: `${rule.id}/${reward.drawn.number}`,
          fingerprint: reward.drawn.fingerprint,
        }),
      },
    },
    nowMs,
  );
  return true;
}
