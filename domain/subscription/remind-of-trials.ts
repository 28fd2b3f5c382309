import type { Tx } from '#db/database.ts';
import type { users } from '#db/schema/user.ts';
import { day } from '#domain/kernel/time.ts';
import { queueAlarm } from '#domain/outbox/alarm-operator.ts';
import { priceOf } from '#domain/plan/plans.ts';
import type { Subscription } from './transition.ts';

/** A trial is mentioned once more this long before its first payment; a shorter one as soon as it is seen. */
const NOTICE_MS = 3 * day;

/**
 * Queues a mail about each trial that will soon be charged for, once for each end of a trial. Trials that
 * were cancelled or paused, or that a discount pays for, are left out because nothing is charged for them; so
 * are those that have ended.
 */
export async function remindOfTrials(
  tx: Tx,
  user: typeof users.$inferSelect,
  rows: readonly Subscription[],
  nowMs: number,
): Promise<void> {
  for (const row of rows) {
    const { state, trialUntilMs, product } = row;
    if (state !== 'trialing' || trialUntilMs === null) continue;
    if (trialUntilMs <= nowMs || trialUntilMs > nowMs + NOTICE_MS) continue;
    const tier = row.nextTier ?? row.tier;
    const period = row.nextPeriod ?? row.period;
    if (row.isPaused || row.nextCharge === 0) continue;
    const charged = row.nextCharge ?? (row.nextTier ? row.nextPrice : row.price);
    const values = {
      name: user.name,
      product,
      tier,
      period,
      price: String(charged ?? priceOf(product, tier, period)),
      currency: row.currency ?? 'usd',
      endsMs: String(trialUntilMs),
    };
    const mail = { recipient: user.email, locale: user.locale, template: 'trialEnds', values } as const;
    await queueAlarm(tx, { key: `trial ${row.id}: ${trialUntilMs}`, mail, isOnce: true }, nowMs);
  }
}
