import { and, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { billingSwitch, planStates, subscriptions } from '#db/schema/billing.ts';
import { statement } from '#db/statement.ts';
import { isInForce } from './limits-of.ts';
import { plans } from './plans.ts';

const readSwitch = statement('sells_plans', (q) =>
  q.select({ sellsPlans: billingSwitch.sellsPlans }).from(billingSwitch),
);

const readViewerPlans = statement('viewer_plans', (q) =>
  q
    .select({
      userId: subscriptions.userId,
      tier: subscriptions.tier,
      state: subscriptions.state,
      graceUntilMs: subscriptions.graceUntilMs,
      endsAtMs: subscriptions.endsAtMs,
    })
    .from(subscriptions)
    .where(
      and(
        isAmong(subscriptions.userId, sql.placeholder('userIds')),
        is(subscriptions.product, 'viewer'),
        within(subscriptions.state, planStates),
      ),
    ),
);

/** Returns those of these users whose plan includes mails about rewards. */
export async function withRewardMails(
  q: Reader,
  userIds: readonly string[],
  nowMs: number,
): Promise<Set<string>> {
  const [instance] = await readSwitch(q, {});
  if (!instance?.sellsPlans) return new Set(userIds);
  const found = await readViewerPlans(q, { userIds: JSON.stringify(userIds) });
  const included = found.filter((each) => isInForce(each, nowMs) && plans.viewer[each.tier].rewardMails);
  return new Set(included.map(({ userId }) => userId));
}
