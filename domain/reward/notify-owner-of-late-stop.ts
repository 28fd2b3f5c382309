import { and, eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/** Mails the rule's owner, if they had asked to stop the claim, that its offer was accepted before it was cancelled. */
export async function notifyOwnerOfLateStop(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const [late] = await tx
    .select({
      recipient: users.email,
      locale: users.locale,
      name: users.name,
      viewer: twitchAccounts.displayName,
      viewerId: rewards.twitchId,
      item: items.name,
      rule: rules.name,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(users, and(eq(users.id, rules.ownerId), isNotNull(users.emailVerifiedAtMs)))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .where(and(eq(rewards.id, rewardId), isNotNull(rewards.stopReason)));
  if (!late) return;
  const { recipient, locale, viewer, viewerId, ...facts } = late;
  const values = { ...facts, viewer: viewer ?? viewerId ?? '' };
  await queueMail(tx, { recipient, locale, template: 'stoppedTooLate', values }, nowMs);
}
