import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { claimFailureOf } from '#domain/transfer/claim-failure.ts';

/** Mails the viewer whose promise ended because its last offer came to nothing, unless they want no mails. */
export async function notifyOfFailedClaim(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const [ended] = await tx
    .select({
      recipient: users.email,
      locale: users.locale,
      name: users.name,
      item: items.name,
      rule: rules.name,
      channel: channels.displayName,
      claim: {
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
  const why = ended && claimFailureOf(ended.claim)?.kind;
  if (!ended || !why) return;
  const { recipient, locale, claim, ...facts } = ended;
  await queueMail(tx, { recipient, locale, template: 'claimFailed', values: { ...facts, why } }, nowMs);
}
