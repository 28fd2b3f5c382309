import { and, inArray, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, listOf, within } from '#db/dialect.ts';
import { billingSwitch, liveSubscriptionStates, subscriptions } from '#db/schema/billing.ts';
import { isInForce } from './limits-of.ts';
import { plans } from './plans.ts';

/** Returns those of these users whose plan includes mails about rewards. */
export async function withRewardMails(
  q: Reader,
  userIds: readonly string[],
  nowMs: number,
): Promise<Set<string>> {
  const [instance] = await q.select({ sellsPlans: billingSwitch.sellsPlans }).from(billingSwitch);
  if (!instance?.sellsPlans) return new Set(userIds);
  const found = await q
    .select()
    .from(subscriptions)
    .where(
      and(
        inArray(subscriptions.userId, sql`(select value from ${listOf(userIds, 'promised_to')})`),
        is(subscriptions.product, 'viewer'),
        within(subscriptions.state, liveSubscriptionStates),
      ),
    );
  const included = found.filter((each) => isInForce(each, nowMs) && plans.viewer[each.tier].rewardMails);
  return new Set(included.map(({ userId }) => userId));
}
