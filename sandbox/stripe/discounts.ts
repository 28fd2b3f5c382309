import { z } from 'zod';
import { common, listOf, mergeMetadata, metadata, paging, text, whole } from './parameters.ts';
import { daySeconds } from './periods.ts';
import { invalidRequest } from './refusals.ts';
import { newId } from './state.ts';
import type { Coupon, Discount, Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

const durations = ['forever', 'once', 'repeating'] as const;

export const createCouponShape = z.strictObject({
  ...common,
  amount_off: whole.optional(),
  currency: text.optional(),
  duration: z.enum(durations).optional(),
  duration_in_months: whole.optional(),
  id: text.optional(),
  metadata,
  name: text.optional(),
  percent_off: whole.optional(),
});
export const listCouponsShape = z.strictObject(paging);

/** A price reduction that the operator hands out, https://docs.stripe.com/api/coupons/create. */
export function createCoupon(world: StripeWorld, given: z.output<typeof createCouponShape>): Coupon {
  const { amount_off = null, percent_off = null, duration = 'once', duration_in_months = null } = given;
  if ((amount_off === null) === (percent_off === null))
    throw invalidRequest('You must pass either percent_off or amount_off.', { param: 'percent_off' });
  return world.create(
    'coupon',
    {
      id: given.id ?? newId('coupon'),
      object: 'coupon',
      amount_off,
      created: world.seconds(),
      currency: amount_off === null ? null : (given.currency ?? 'usd'),
      duration,
      duration_in_months,
      livemode: false,
      max_redemptions: null,
      metadata: mergeMetadata({}, given.metadata),
      name: given.name ?? null,
      percent_off,
      redeem_by: null,
      times_redeemed: 0,
      valid: true,
    },
    'coupon.created',
  );
}

export const discountsShape = listOf(z.strictObject({ coupon: text.optional(), discount: text.optional() }));

/** Redeems coupons for a subscription; an empty list takes its discounts away. Returns their ids. */
export function redeem(
  world: StripeWorld,
  { id, customer }: Subscription,
  given: z.output<typeof discountsShape>,
): string[] {
  return given.map(({ coupon: couponId, discount }, index) => {
    if (discount) return world.require('discount', discount, `discounts[${index}][discount]`).id;
    const coupon = world.require('coupon', couponId ?? '', `discounts[${index}][coupon]`);
    world.update('coupon', coupon.id, { times_redeemed: coupon.times_redeemed + 1 });
    const start = world.seconds();
    const made: Discount = {
      id: newId('discount'),
      object: 'discount',
      checkout_session: null,
      customer,
      customer_account: null,
      // The months are counted as thirty days each, which no test is finer than.
      end: coupon.duration_in_months && start + coupon.duration_in_months * 30 * daySeconds,
      invoice: null,
      invoice_item: null,
      promotion_code: null,
      source: { coupon: coupon.id, type: 'coupon' },
      start,
      subscription: id,
      subscription_item: null,
    };
    return world.create('discount', made, 'customer.discount.created').id;
  });
}

/** The amount that each discount of a subscription takes off a sum, one after the other, https://docs.stripe.com/billing/subscriptions/coupons. */
export function discountAmounts(
  world: StripeWorld,
  ids: readonly string[],
  subtotal: number,
): { discount: string; amount: number }[] {
  let left = subtotal;
  return ids.flatMap((id) => {
    const discount = world.require('discount', id);
    const coupon = world.require('coupon', String(discount.source.coupon));
    if (left <= 0 || (discount.end !== null && discount.end <= world.seconds())) return [];
    const off = coupon.amount_off ?? Math.round((left * (coupon.percent_off ?? 0)) / 100);
    const amount = Math.min(left, off);
    left -= amount;
    return [{ discount: id, amount }];
  });
}

/**
 * Removes discounts for a single invoice once they were used. It is believed that a trial's first invoice
 * does not use them up.
 */
export function spendOnce(world: StripeWorld, subscription: Subscription, used: readonly string[]): void {
  const spent = used.filter((id) => {
    const { coupon } = world.require('discount', id).source;
    return world.require('coupon', String(coupon)).duration === 'once';
  });
  if (spent.length === 0) return;
  const discounts = subscription.discounts.filter((id) => !spent.includes(id));
  world.update('subscription', subscription.id, { discounts });
}
