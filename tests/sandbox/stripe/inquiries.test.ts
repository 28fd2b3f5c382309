import { afterEach, beforeEach, expect, test } from 'vitest';
import { disputeCharge, endInquiry } from '#sandbox/stripe/disputes.ts';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe();
});

afterEach(async () => {
  await stage.close();
});

/** A payment that its customer asks the bank about. */
async function askedAbout() {
  await stage.subscribe();
  const [charge] = stage.world.all('charge');
  const id = String(charge?.id);
  const inquiry = stage.world.transaction(() => disputeCharge(stage.world, id, 'inquiry'));
  return { chargeId: id, inquiry };
}

test('An inquiry takes no money and can be closed without any', async () => {
  const { inquiry } = await askedAbout();
  expect(inquiry).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true });
  stage.world.transaction(() => endInquiry(stage.world, inquiry.id, 'closed'));
  expect(await stage.stripe.disputes.retrieve(inquiry.id)).toMatchObject({ status: 'warning_closed' });
  await stage.delivered();
  const types = stage.types().filter((type) => type.startsWith('charge.dispute'));
  expect(types).toEqual(['charge.dispute.created', 'charge.dispute.closed']);
});

test('An inquiry that is pursued becomes a dispute, and the money is taken then', async () => {
  const { inquiry } = await askedAbout();
  stage.world.transaction(() => endInquiry(stage.world, inquiry.id, 'disputed'));
  expect(await stage.stripe.disputes.retrieve(inquiry.id)).toMatchObject({
    status: 'needs_response',
    is_charge_refundable: false,
  });
  await stage.delivered();
  const types = stage.types().filter((type) => type.startsWith('charge.dispute'));
  expect(types).toEqual([
    'charge.dispute.created',
    'charge.dispute.updated',
    'charge.dispute.funds_withdrawn',
  ]);
});

test('A full refund resolves an inquiry', async () => {
  const { chargeId, inquiry } = await askedAbout();
  await stage.stripe.refunds.create({ charge: chargeId, amount: 100 });
  expect((await stage.stripe.disputes.retrieve(inquiry.id)).status).toBe('warning_needs_response');
  await stage.stripe.refunds.create({ charge: chargeId });
  expect((await stage.stripe.disputes.retrieve(inquiry.id)).status).toBe('warning_closed');
});
