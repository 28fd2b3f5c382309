import { expect, test, vi } from 'vitest';
import { listCharges } from '#billing/list-charges.ts';
import { addItem, chargeExtra, giveDiscount, refundByHand } from '#sandbox/stripe/dashboard.ts';
import { closeDispute, disputeCharge } from '#sandbox/stripe/disputes.ts';
import {
  atStripe,
  billing,
  changeTo,
  customerOf,
  daysLater,
  setBillingStage,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  viewerPro,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const streamerPro = { ...streamerBasic, tier: 'pro' } as const;
const subscriptionId = async () => (await atStripe(streamer))[0]?.id ?? '';
const chargeOf = (amount: number) => {
  const charges = Object.values(stripe.world.state.objects.charge);
  return charges.find((each) => each.amount === amount)?.id ?? expect.fail(`no charge of ${amount}`);
};
async function charges(asked: { after?: string; size?: number } = {}) {
  const { after = null, size = 12 } = asked;
  const read = await listCharges(billing, { customerId: await customerOf(streamer), after, size });
  if (!read.ok) throw new Error(read.code);
  return read;
}
const states = async () => (await charges()).charges.map(({ amount, state }) => [amount, state]);

test('A charge says when, how much, for which plan and time, and leads to its invoice at Stripe', async () => {
  await subscribe(await withoutTrials(streamer), { ...viewerPro, period: 'year' });
  const [charge] = (await charges()).charges;
  expect(charge).toMatchObject({ state: 'paid', atMs: daysLater(0), currency: 'usd', refunded: 0 });
  expect(charge?.bought).toMatchObject([
    { plan: { ...viewerPro, period: 'year' }, startMs: daysLater(0), endMs: daysLater(365), isRest: false },
  ]);
  const page = await stripe.visit(charge?.url ?? '');
  expect(page.text).toContain(`paid, ${((charge?.amount ?? 0) / 100).toFixed(2)} USD`);
});

test('A trial costs nothing, and a change of plan buys the rest of the period', async () => {
  await subscribe(streamer, streamerBasic);
  expect(await states()).toEqual([[0, 'nothingDue']]);
  stripe.advanceDays(8);
  await changeTo(streamer, streamerPro);
  const [change, first] = (await charges()).charges;
  expect(change?.bought).toMatchObject([{ plan: streamerPro, isRest: true, endMs: daysLater(38) }]);
  expect(change?.amount).toBeLessThan(3999 - 499);
  expect(first).toMatchObject({ amount: 499, state: 'paid', bought: [{ plan: streamerBasic }] });
});

test('What the operator charged besides is named as the operator names it', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const id = await subscriptionId();
  addItem(stripe.world, id, { name: 'Support', amount: 300 });
  stripe.advanceDays(10);
  chargeExtra(stripe.world, id, { description: 'Moving help', amount: 700, isInvoicedNow: true });
  const [extra] = (await charges()).charges;
  expect(extra).toMatchObject({ amount: 700, bought: [{ plan: null, text: 'Moving help' }] });
  stripe.advanceDays(22);
  const [renewal] = (await charges()).charges;
  expect(renewal?.bought.map(({ plan, text }) => plan?.tier ?? text)).toContain('basic');
  expect(renewal?.bought.filter(({ plan }) => plan === null).length).toBeGreaterThan(0);
});

test('Refunds in part and in whole, and disputes as long as the bank holds the money, are said', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  await subscribe(streamer, viewerPro);
  const [newer, older] = (await charges()).charges.map(({ amount }) => amount);
  await stripe.stripe.refunds.create({ charge: chargeOf(newer ?? 0), amount: 100 });
  expect(await states()).toEqual([
    [newer, 'partlyRefunded'],
    [older, 'paid'],
  ]);
  expect((await charges()).charges[0]?.refunded).toBe(100);
  const dispute = disputeCharge(stripe.world, chargeOf(older ?? 0));
  refundByHand(stripe.world, chargeOf(newer ?? 0));
  expect(await states()).toEqual([
    [newer, 'refunded'],
    [older, 'disputed'],
  ]);
  closeDispute(stripe.world, dispute.id, 'won');
  expect(await states()).toEqual([
    [newer, 'refunded'],
    [older, 'paid'],
  ]);
});

test('An inquiry of a bank takes nothing from a charge that is paid', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  disputeCharge(stripe.world, chargeOf(499), 'inquiry');
  expect(await states()).toEqual([[499, 'paid']]);
});

test.each([
  ['000123456789', 'paid'],
  ['000222222227', 'failed'],
])('A debit of %s is under way for days, and then %s', async (account, end) => {
  stripe.world.choose({ debits: true });
  billing.settings.debits = true;
  await subscribe(await withoutTrials(streamer), streamerBasic, account);
  expect(await states()).toEqual([[499, 'underWay']]);
  stripe.advanceDays(5);
  expect(await states()).toEqual([[499, end]]);
});

test('A renewal is due for an hour, then paid, or failed until it is paid after all', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.advanceDays(31);
  expect((await states())[0]).toEqual([499, 'due']);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 1 });
  stripe.clock.advance(2 * 3_600_000);
  expect((await states())[0]).toEqual([499, 'failed']);
  stripe.advanceDays(4);
  expect(await states()).toEqual([
    [499, 'paid'],
    [499, 'paid'],
  ]);
});

test('What a pause holds back, and what a discount takes off, are not charged', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const id = await subscriptionId();
  await stripe.stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } });
  stripe.advanceDays(32);
  expect((await states())[0]).toEqual([499, 'notCharged']);
  await stripe.stripe.subscriptions.update(id, { pause_collection: '' });
  giveDiscount(stripe.world, id, { percent: 100, duration: 'forever' });
  stripe.advanceDays(31);
  expect((await states())[0]).toEqual([0, 'nothingDue']);
});

test('Three years of monthly invoices come in pages of two requests each, without gaps or repeats', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  for (let month = 1; month <= 36; month++) stripe.advanceDays(31);
  const { invoices, charges: all } = billing.stripe;
  const [lists, reads] = [vi.spyOn(invoices, 'list'), vi.spyOn(all, 'list')];
  await charges();
  const listed: number[] = [];
  let after: string | undefined;
  for (let page = 1; page <= 5; page++) {
    const { charges: some, hasMore } = await charges({ size: 9, ...(after && { after }) });
    listed.push(...some.map(({ atMs }) => atMs));
    expect(some.every(({ state }) => state === 'paid')).toBe(true);
    after = some.at(-1)?.id;
    expect(hasMore).toBe(page < 5);
  }
  expect(listed).toHaveLength(37);
  expect(new Set(listed).size).toBe(37);
  expect(listed).toEqual([...listed].sort((one, other) => other - one));
  expect([lists.mock.calls.length, reads.mock.calls.length]).toEqual([6, 6]);
});

test('A page that does not exist is refused, and so is any while Stripe does not answer', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const asked = { customerId: await customerOf(streamer), size: 12 };
  expect(await listCharges(billing, { ...asked, after: 'in_missing' })).toEqual({
    ok: false,
    code: 'noSuchPage',
  });
  stripe.world.faults.failNext({ answer: 503, path: '/v1/invoices', times: 10 });
  expect(await listCharges(billing, { ...asked, after: null })).toEqual({ ok: false, code: 'unavailable' });
});
