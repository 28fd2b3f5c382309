import { z } from 'zod';
import { hasEnded } from './cancellations.ts';
import { isWithin } from './lists.ts';
import {
  common,
  createdRange,
  listOf,
  mergeMetadata,
  metadata,
  orUnset,
  paging,
  text,
  whole,
} from './parameters.ts';
import { periodEnd } from './periods.ts';
import { invalidRequest } from './refusals.ts';
import { lastPeriodEnd } from './scheduled-cancellations.ts';
import { newId } from './state.ts';
import type { Schedule, Subscription, SubscriptionItem } from './stored.ts';
import { requireRecurring, withPrice } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

const behaviors = z.enum(['always_invoice', 'create_prorations', 'none']).optional();

const phaseShape = z.strictObject({
  duration: z
    .strictObject({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: whole.optional() })
    .optional(),
  end_date: z.union([z.literal('now'), whole]).optional(),
  items: listOf(z.strictObject({ price: text, quantity: whole.optional(), metadata })),
  metadata,
  proration_behavior: behaviors,
  start_date: z.union([z.literal('now'), whole]).optional(),
});

const shared = {
  ...common,
  end_behavior: z.enum(['cancel', 'release']).optional(),
  metadata,
};

export const createScheduleShape = z.strictObject({ ...shared, from_subscription: text });
export const updateScheduleShape = z.strictObject({
  ...shared,
  default_settings: z.unknown().optional(),
  phases: listOf(phaseShape).optional(),
  proration_behavior: behaviors,
});
export const releaseShape = z.strictObject({ ...common, preserve_cancel_date: orUnset(text).optional() });
export const listSchedulesShape = z.strictObject({
  ...paging,
  customer: text.optional(),
  created: createdRange,
});

type Phase = Schedule['phases'][number];

function phaseOf(
  world: StripeWorld,
  given: { items: { price: string; quantity?: number | undefined; metadata?: Record<string, string> }[] },
  parts: Pick<Phase, 'start_date' | 'end_date' | 'currency' | 'metadata' | 'proration_behavior'>,
): Phase {
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    invoice_settings: null,
    items: given.items.map(({ price, quantity = 1, metadata: about = {} }, index) => ({
      billing_thresholds: null,
      discounts: [],
      metadata: about,
      plan: requireRecurring(world, price, `phases[0][items][${index}][price]`).id,
      price,
      quantity,
      tax_rates: [],
    })),
    on_behalf_of: null,
    transfer_data: null,
    trial_end: null,
    ...parts,
  };
}

const defaultSettings: Schedule['default_settings'] = {
  application_fee_percent: null,
  billing_cycle_anchor: 'automatic',
  billing_thresholds: null,
  collection_method: 'charge_automatically',
  default_payment_method: null,
  description: null,
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    days_until_due: null,
    description: null,
    footer: null,
    issuer: { type: 'self' },
  },
  on_behalf_of: null,
  transfer_data: null,
};

/**
 * Creates a schedule that begins with the subscription's present state,
 * https://docs.stripe.com/api/subscription_schedules/create.
 */
export function createSchedule(world: StripeWorld, given: z.output<typeof createScheduleShape>): Schedule {
  const subscription = world.require('subscription', given.from_subscription, 'from_subscription');
  if (hasEnded(subscription))
    throw invalidRequest('You cannot migrate a subscription that is currently in the `canceled` status.', {
      param: 'from_subscription',
    });
  if (subscription.schedule) {
    throw invalidRequest(
      `You cannot migrate a subscription that is already attached to a schedule: ${subscription.schedule}.`,
      {
        param: 'from_subscription',
      },
    );
  }
  const items = subscription.items.data.map(({ price, quantity = 1 }) => ({ price: price.id, quantity }));
  const start = Math.min(...subscription.items.data.map((item) => item.current_period_start));
  const end = lastPeriodEnd(subscription);
  const phase = phaseOf(
    world,
    { items },
    {
      start_date: start,
      end_date: end,
      currency: subscription.currency,
      metadata: {},
      proration_behavior: 'create_prorations',
    },
  );
  const schedule = world.create(
    'subscription_schedule',
    {
      id: newId('subscription_schedule'),
      object: 'subscription_schedule',
      application: null,
      billing_mode: subscription.billing_mode,
      canceled_at: null,
      completed_at: null,
      created: world.seconds(),
      current_phase: { start_date: start, end_date: end },
      customer: subscription.customer,
      customer_account: null,
      default_settings: defaultSettings,
      end_behavior: given.end_behavior ?? 'release',
      livemode: false,
      metadata: mergeMetadata({}, given.metadata),
      pause_schedules: [],
      phases: [phase],
      released_at: null,
      released_subscription: null,
      status: 'active',
      subscription: subscription.id,
      test_clock: null,
    },
    'subscription_schedule.created',
  );
  world.update('subscription', subscription.id, { schedule: schedule.id }, 'customer.subscription.updated');
  return schedule;
}

function requireActive(world: StripeWorld, id: string): Schedule {
  const schedule = world.require('subscription_schedule', id);
  if (schedule.status !== 'active') {
    throw invalidRequest(
      `You cannot update a subscription schedule that is currently in the \`${schedule.status}\` status.`,
    );
  }
  return schedule;
}

function endOf(world: StripeWorld, given: z.output<typeof phaseShape>, start: number): number {
  if (given.end_date !== undefined) return given.end_date === 'now' ? world.seconds() : given.end_date;
  const recurring = requireRecurring(
    world,
    given.items[0]?.price ?? '',
    'phases[0][items][0][price]',
  ).recurring;
  const duration = given.duration
    ? { interval: given.duration.interval, interval_count: given.duration.interval_count ?? 1 }
    : recurring;
  // Believed.
  if (!duration) throw invalidRequest('Missing required param: phases[0][end_date].');
  return periodEnd(start, duration, start);
}

/** Replaces the phases: each begins where the one before ends, and the running one may not be moved. */
export function updateSchedule(
  world: StripeWorld,
  id: string,
  given: z.output<typeof updateScheduleShape>,
): Schedule {
  const schedule = requireActive(world, id);
  const running = schedule.current_phase;
  let start = running?.start_date ?? world.seconds();
  const phases = given.phases?.map((phase, index) => {
    if (index === 0 && typeof phase.start_date === 'number' && phase.start_date !== start) {
      throw invalidRequest('You can not modify the start date of the current phase.', {
        param: 'phases[0][start_date]',
      });
    }
    if (index > 0 && typeof phase.start_date === 'number' && phase.start_date !== start) {
      // Believed.
      throw invalidRequest('The start date of each phase must be the end date of the one before.', {
        param: `phases[${index}][start_date]`,
      });
    }
    const end = endOf(world, phase, start);
    if (end <= start)
      throw invalidRequest('The `end_date` of a phase must be after its `start_date`.', {
        param: `phases[${index}][end_date]`,
      });
    const made = phaseOf(
      world,
      {
        items: phase.items.map(({ price, quantity, metadata: about }) => ({
          price,
          quantity,
          metadata: mergeMetadata({}, about),
        })),
      },
      {
        start_date: start,
        end_date: end,
        currency: schedule.phases[0]?.currency ?? 'usd',
        metadata: mergeMetadata({}, phase.metadata),
        proration_behavior: phase.proration_behavior ?? 'create_prorations',
      },
    );
    start = end;
    return made;
  });
  const [first] = phases ?? [];
  return world.update(
    'subscription_schedule',
    id,
    {
      ...(phases && { phases }),
      ...(first && { current_phase: { start_date: first.start_date, end_date: first.end_date } }),
      ...(given.end_behavior && { end_behavior: given.end_behavior }),
      metadata: mergeMetadata(schedule.metadata ?? {}, given.metadata),
    },
    'subscription_schedule.updated',
  );
}

/** The subscription goes on as it is, without its schedule. */
export function releaseSchedule(world: StripeWorld, id: string): Schedule {
  const { subscription } = requireActive(world, id);
  if (subscription)
    world.update('subscription', subscription, { schedule: null }, 'customer.subscription.updated');
  return world.update(
    'subscription_schedule',
    id,
    {
      status: 'released',
      released_at: world.seconds(),
      released_subscription: subscription,
      subscription: null,
      current_phase: null,
    },
    'subscription_schedule.released',
  );
}

/** The phase that follows the running one; null after the last. */
export function nextPhase(schedule: Schedule): Phase | null {
  const end = schedule.current_phase?.end_date;
  return schedule.phases.find((phase) => phase.start_date === end) ?? null;
}

/** The items of a subscription in a phase. */
export const itemsIn = (
  world: StripeWorld,
  { items }: Pick<Subscription, 'items'>,
  phase: Phase,
): SubscriptionItem[] =>
  items.data.flatMap((item, index) => {
    const planned = phase.items[index];
    if (!planned) return [];
    const priced = withPrice(item, requireRecurring(world, planned.price, 'price'));
    return [{ ...priced, quantity: planned.quantity ?? 1 }];
  });

export const scheduleOf = (world: StripeWorld, subscription: Subscription): Schedule | null =>
  subscription.schedule ? world.find('subscription_schedule', subscription.schedule) : null;

export function listSchedules(world: StripeWorld, given: z.output<typeof listSchedulesShape>): Schedule[] {
  return world
    .all('subscription_schedule')
    .filter(
      (schedule) =>
        (!given.customer || schedule.customer === given.customer) &&
        isWithin(schedule.created, given.created),
    );
}
