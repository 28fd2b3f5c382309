import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { checkouts, subscriptions, trials } from '#db/schema/billing.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { getBilling } from '#domain/subscription/get-billing.ts';
import {
  expireCheckout,
  expireSession,
  findCheckout,
  listCheckoutsToClose,
  listOpenCheckouts,
  openCheckout,
  recordSession,
} from '#domain/subscription/open-checkout.ts';
import { addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();

const basic: Plan = { product: 'streamer', tier: 'basic', period: 'month' };
const viewerBasic: Plan = { ...basic, product: 'viewer' };
const open = (plan = basic, nowMs = START_MS, { userId }: Person = streamer) =>
  openCheckout(db, { userId, plan }, nowMs);

async function opened(plan = basic, nowMs = START_MS, person: Person = streamer) {
  const answer = await open(plan, nowMs, person);
  if (!answer.ok) throw new Error(answer.code);
  return answer.checkout;
}
const stateOf = async (id: string) =>
  (await db.read.select().from(checkouts).where(eq(checkouts.id, id)))[0]?.state;
const trialsOf = () => db.read.select().from(trials).orderBy(trials.product);
const billingOf = ({ userId }: Person = streamer) => getBilling(db, userId, START_MS);

test('A checkout of a plan is open for an hour and offers the trial', async () => {
  const checkout = await opened();
  expect(checkout).toMatchObject({
    ...basic,
    userId: streamer.userId,
    state: 'open',
    sessionId: null,
    trialTwitchId: streamer.twitchId,
    createdAtMs: START_MS,
    expiresAtMs: START_MS + hour,
  });
  expect(await trialsOf()).toMatchObject([
    { twitchId: streamer.twitchId, product: 'streamer', checkoutId: checkout.id, subscriptionId: null },
  ]);
});

test('The same plan gets the same checkout, for five minutes while Stripe has not answered', async () => {
  const { id } = await opened();
  expect(await opened(basic, START_MS + 5 * minute - 1)).toMatchObject({ id });
  expect(await open(basic, START_MS + 5 * minute)).toMatchObject({
    ok: false,
    code: 'otherOpen',
    other: { id },
  });
  expect(await recordSession(db, { checkoutId: id, sessionId: 'cs_1' })).toBe(true);
  expect(await opened(basic, START_MS + hour - 1)).toMatchObject({ id, sessionId: 'cs_1' });
  expect(await open(basic, START_MS + hour)).toMatchObject({ ok: false, code: 'otherOpen', other: { id } });
});

test('Another plan of the product has to wait until the checkout is closed; another product has its own', async () => {
  const { id } = await opened();
  for (const plan of [
    { ...basic, tier: 'pro' },
    { ...basic, period: 'year' },
  ] as const)
    expect(await open(plan)).toMatchObject({ ok: false, code: 'otherOpen', other: { id } });
  expect((await opened(viewerBasic)).id).not.toBe(id);
  expect((await opened(basic, START_MS, await addStreamer(db))).id).not.toBe(id);
  await expireCheckout(db, id);
  expect((await opened({ ...basic, tier: 'pro' })).trialTwitchId).toBe(streamer.twitchId);
});

test('Whoever is subscribed to a product changes the plan instead; who was may buy it again', async () => {
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub' })]);
  expect(await open()).toEqual({ ok: false, code: 'alreadySubscribed' });
  expect(await open(viewerBasic)).toMatchObject({ ok: true });
  expect(await open(basic, START_MS, await addStreamer(db))).toMatchObject({ ok: true });
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub', status: 'canceled', endedAtMs: START_MS })]);
  expect(await open()).toMatchObject({ ok: true });
});

test('A checkout that was closed takes no session, and gives the trial back unless it is used up', async () => {
  const { id } = await opened();
  await recordSession(db, { checkoutId: id, sessionId: 'cs_1' });
  await expireSession(db, 'cs_of_another_account');
  expect(await stateOf(id)).toBe('open');
  await expireSession(db, 'cs_1');
  expect(await stateOf(id)).toBe('expired');
  expect(await trialsOf()).toEqual([]);
  expect(await recordSession(db, { checkoutId: id, sessionId: 'cs_2' })).toBe(false);

  const paid = await opened();
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub', checkoutId: paid.id })]);
  expect(await stateOf(paid.id)).toBe('completed');
  await expireCheckout(db, paid.id);
  expect(await stateOf(paid.id)).toBe('completed');
  expect(await trialsOf()).toMatchObject([{ checkoutId: paid.id, subscriptionId: 'sub' }]);
});

test('A payment that came after its checkout was closed here uses up the trial it offered', async () => {
  const { id } = await opened();
  await expireCheckout(db, id);
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub', checkoutId: id })]);
  expect(await stateOf(id)).toBe('expired');
  expect(await trialsOf()).toMatchObject([{ checkoutId: id, subscriptionId: 'sub', takenAtMs: START_MS }]);
});

test('A subscription whose first payment is missing completes nothing, nor does one of no checkout', async () => {
  const { id } = await opened();
  await storeFacts(db, streamer, [
    subscriptionFacts({ status: 'incomplete', checkoutId: id }),
    subscriptionFacts({ plan: viewerBasic }),
  ]);
  expect(await stateOf(id)).toBe('open');
  expect(await trialsOf()).toMatchObject([{ subscriptionId: null }]);
});

test('A Twitch account has one trial of each product, and who has none linked gets none', async () => {
  const { id } = await opened();
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub', checkoutId: id })]);
  await storeFacts(db, streamer, [
    subscriptionFacts({ id: 'sub', checkoutId: id, status: 'canceled', endedAtMs: START_MS }),
  ]);
  expect((await billingOf()).trialsLeft).toEqual(['viewer']);
  expect((await opened()).trialTwitchId).toBeNull();
  expect((await opened(viewerBasic)).trialTwitchId).toBe(streamer.twitchId);
  expect((await billingOf()).trialsLeft).toEqual(['viewer']);
  const other = await addStreamer(db);
  expect((await billingOf(other)).trialsLeft).toEqual(['streamer', 'viewer']);
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, other.userId));
  });
  expect((await billingOf(other)).trialsLeft).toEqual([]);
  expect((await opened(basic, START_MS, other)).trialTwitchId).toBeNull();
});

test('Checkouts are found by their user, by their session, and once they are due', async () => {
  const first = await opened();
  const second = await opened(viewerBasic, START_MS + minute);
  const other = await addStreamer(db);
  const others = await opened(basic, START_MS + 2 * minute, other);
  await recordSession(db, { checkoutId: first.id, sessionId: 'cs_1' });
  const mine = await listOpenCheckouts(db, streamer.userId);
  expect(mine.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
  const found = (userId: string) => findCheckout(db, { userId, sessionId: 'cs_1' });
  expect(await found(streamer.userId)).toMatchObject({ id: first.id });
  expect(await found(other.userId)).toBeNull();
  const due = async (nowMs: number, limit = 10) =>
    (await listCheckoutsToClose(db, { nowMs, limit })).map(({ id }) => id);
  expect(await due(START_MS + hour - 1)).toEqual([]);
  expect(await due(START_MS + hour)).toEqual([first.id]);
  expect(await due(START_MS + 2 * hour)).toEqual([first.id, second.id, others.id]);
  expect(await due(START_MS + 2 * hour, 2)).toEqual([first.id, second.id]);
  await expireCheckout(db, first.id);
  expect(await due(START_MS + 2 * hour)).toEqual([second.id, others.id]);
  expect((await listOpenCheckouts(db, streamer.userId)).map(({ id }) => id)).toEqual([second.id]);
});

test('What is paid for is told from what is stored', async () => {
  expect(await billingOf()).toMatchObject({ subscriptions: [], isCustomer: false, rulesOverLimit: 0 });
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub' })]);
  expect(await billingOf()).toMatchObject({ subscriptions: [{ id: 'sub' }], isCustomer: true });
  expect(await db.read.$count(subscriptions)).toBe(1);
});
