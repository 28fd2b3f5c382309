import { and, eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/**
 * Mails the rule's owner that a viewer has both the item and the points: they were refunded by hand, and the offer
 * was accepted before it could be cancelled. Sent regardless of mail preferences because the owner lost an item.
 */
export async function notifyOwnerOfLoss(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const [loss] = await tx
    .select({
      recipient: users.email,
      locale: users.locale,
      name: users.name,
      viewer: twitchAccounts.displayName,
      viewerId: rewards.twitchId,
      item: items.name,
      rule: rules.name,
      ruleId: rules.id,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(users, and(eq(users.id, rules.ownerId), isNotNull(users.emailVerifiedAtMs)))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .where(eq(rewards.id, rewardId));
  if (!loss) return;
  const { recipient, locale, viewerId, ...facts } = loss;
  const values = { ...facts, viewer: facts.viewer ?? viewerId ?? '' };
  await queueMail(tx, { recipient, locale, template: 'deliveredWithoutPoints', values }, nowMs);
}
