import { checkouts, stripeCustomers, stripeEvents, subscriptions, trials } from '#db/schema/billing.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import type { Member, Scribe } from '#tests/benchmarks/history/scribe.ts';

/** One in this many of those who ever bought a plan still pays for it. */
const STILL_PAYS = 10;
const LIFE_MS = 37 * day;
/** Time for which checkouts and the ids of events are stored. */
const CHECKOUTS_MS = 90 * day;
const EVENTS_MS = 35 * day;

/**
 * A past purchase: a checkout that was abandoned, one that was paid, the trial, a subscription, and its last
 * event.
 */
export function writePastPayments(scribe: Scribe, buyer: Member, fromMs: number, nowMs: number): void {
  const { number, userId, twitchId } = buyer;
  const pays = number % STILL_PAYS === 0;
  const customerId = `cus_demo${number}`;
  scribe.add(stripeCustomers, {
    userId,
    customerId,
    fetchesBegun: 3,
    fetchStored: 3,
    fetchedAtMs: nowMs - (number % 1000) * minute,
    createdAtMs: fromMs,
  });
  const plan = { product: 'streamer', tier: 'basic', period: 'month' } as const;
  const id = `sub_demo${number}`;
  const boughtAtMs = fromMs + 5 * minute;
  for (const state of ['expired', 'completed'] as const) {
    const createdAtMs = state === 'expired' ? fromMs : boughtAtMs;
    const checkoutId = scribe.id(createdAtMs);
    const times = { createdAtMs, expiresAtMs: createdAtMs + hour };
    if (createdAtMs > nowMs - CHECKOUTS_MS)
      scribe.add(checkouts, {
        id: checkoutId,
        userId,
        ...plan,
        state,
        sessionId: `cs_demo_${checkoutId}`,
        trialTwitchId: twitchId,
        ...times,
      });
    if (state === 'completed')
      scribe.add(trials, {
        twitchId,
        product: plan.product,
        checkoutId,
        subscriptionId: id,
        takenAtMs: boughtAtMs,
      });
  }
  const endedAtMs = boughtAtMs + LIFE_MS;
  const changedAtMs = pays ? nowMs - (number % 30) * day : endedAtMs;
  scribe.add(subscriptions, {
    id,
    userId,
    ...plan,
    state: pays ? 'active' : 'ended',
    anchorMs: boughtAtMs + 7 * day,
    periodStartMs: changedAtMs - (pays ? 0 : 30 * day),
    periodEndMs: changedAtMs + (pays ? 30 * day : 0),
    endsAtMs: pays ? null : endedAtMs,
    createdAtMs: boughtAtMs,
  });
  if (changedAtMs <= nowMs - EVENTS_MS) return;
  scribe.add(stripeEvents, {
    id: `evt_demo${number}`,
    type: 'invoice.paid',
    customerId,
    objectId: `in_demo${number}`,
    receivedAtMs: changedAtMs,
    handledAtMs: changedAtMs + minute,
  });
}
