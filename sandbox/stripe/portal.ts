import { z } from 'zod';
import { isWithin } from './lists.ts';
import {
  bool,
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
import { invalidRequest } from './refusals.ts';
import { newId } from './state.ts';
import type { PortalConfiguration, PortalSession } from './stored.ts';
import type { StripeWorld } from './world.ts';

const prorations = z.enum(['always_invoice', 'create_prorations', 'none']).optional();

const fixedQuantity = { enabled: false, maximum: null, minimum: 1 };

const features = z.strictObject({
  customer_update: z
    .strictObject({ allowed_updates: listOf(text).optional(), enabled: bool.optional() })
    .optional(),
  invoice_history: z.strictObject({ enabled: bool }).optional(),
  payment_method_update: z
    .strictObject({ enabled: bool, payment_method_configuration: text.optional() })
    .optional(),
  subscription_cancel: z
    .strictObject({
      cancellation_reason: z
        .strictObject({
          enabled: bool,
          options: listOf(text).optional(),
          feedback_options: z.unknown().optional(),
        })
        .optional(),
      enabled: bool,
      mode: z.enum(['at_period_end', 'immediately']).optional(),
      proration_behavior: prorations,
    })
    .optional(),
  subscription_pause: z.strictObject({ enabled: bool, duration: z.unknown().optional() }).optional(),
  subscription_update: z
    .strictObject({
      billing_cycle_anchor: text.optional(),
      default_allowed_updates: listOf(text).optional(),
      enabled: bool.optional(),
      products: listOf(
        z
          .strictObject({ product: text, prices: listOf(text) })
          .transform((product) => ({ ...product, adjustable_quantity: fixedQuantity })),
      ).optional(),
      proration_behavior: prorations,
      schedule_at_period_end: z.unknown().optional(),
      trial_update_behavior: z.enum(['continue_trial', 'end_trial']).optional(),
    })
    .optional(),
});

const businessProfile = z
  .strictObject({
    headline: orUnset(text).optional(),
    privacy_policy_url: text.optional(),
    terms_of_service_url: text.optional(),
  })
  .optional();

const shared = {
  ...common,
  business_profile: businessProfile,
  default_return_url: orUnset(text).optional(),
  login_page: z.strictObject({ enabled: bool }).optional(),
  metadata,
  name: orUnset(text).optional(),
};

export const createConfigurationShape = z.strictObject({ ...shared, features });
export const updateConfigurationShape = z.strictObject({
  ...shared,
  active: bool.optional(),
  features: features.optional(),
});
export const listConfigurationsShape = z.strictObject({
  ...paging,
  active: bool.optional(),
  created: createdRange,
  is_default: bool.optional(),
});

type Features = z.output<typeof features>;

const noFeatures: PortalConfiguration['features'] = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: { enabled: false, feedback_options: null, options: [] },
    enabled: false,
    mode: 'at_period_end',
    proration_behavior: 'none',
  },
  subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: [],
    enabled: false,
    proration_behavior: 'none',
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: 'end_trial',
  },
};

/** Each given feature replaces the stored one, field by field. */
function mergeFeatures(
  stored: PortalConfiguration['features'],
  given: Features = {},
): PortalConfiguration['features'] {
  const merged = Object.entries(given).map(([name, fields]) => {
    const before = stored[name as keyof PortalConfiguration['features']];
    const changed = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined);
    return [name, { ...before, ...Object.fromEntries(changed) }];
  });
  return { ...stored, ...Object.fromEntries(merged) };
}

/**
 * The features that customers may use in the portal,
 * https://docs.stripe.com/api/customer_portal/configurations.
 */
export function createConfiguration(
  world: StripeWorld,
  given: z.output<typeof createConfigurationShape>,
): PortalConfiguration {
  const now = world.seconds();
  return world.create(
    'billing_portal.configuration',
    {
      id: newId('billing_portal.configuration'),
      object: 'billing_portal.configuration',
      active: true,
      application: null,
      business_profile: profileOf(given.business_profile),
      created: now,
      default_return_url: given.default_return_url ?? null,
      features: mergeFeatures(noFeatures, given.features),
      is_default: false,
      livemode: false,
      login_page: { enabled: given.login_page?.enabled ?? false, url: null },
      metadata: mergeMetadata({}, given.metadata),
      name: given.name ?? null,
      updated: now,
    },
    'billing_portal.configuration.created',
  );
}

function profileOf(given: z.output<typeof businessProfile>): PortalConfiguration['business_profile'] {
  return {
    headline: given?.headline ?? null,
    privacy_policy_url: given?.privacy_policy_url || null,
    terms_of_service_url: given?.terms_of_service_url || null,
  };
}

export function updateConfiguration(
  world: StripeWorld,
  id: string,
  given: z.output<typeof updateConfigurationShape>,
): PortalConfiguration {
  const configuration = world.require('billing_portal.configuration', id);
  return world.update(
    'billing_portal.configuration',
    id,
    {
      ...(given.active !== undefined && { active: given.active }),
      ...(given.business_profile && { business_profile: profileOf(given.business_profile) }),
      ...(given.default_return_url !== undefined && { default_return_url: given.default_return_url }),
      ...(given.name !== undefined && { name: given.name }),
      features: mergeFeatures(configuration.features, given.features),
      metadata: mergeMetadata(configuration.metadata ?? {}, given.metadata),
      updated: world.seconds(),
    },
    'billing_portal.configuration.updated',
  );
}

export function listConfigurations(
  world: StripeWorld,
  given: z.output<typeof listConfigurationsShape>,
): PortalConfiguration[] {
  return world
    .all('billing_portal.configuration')
    .filter(
      (one) =>
        (given.active === undefined || one.active === given.active) &&
        (given.is_default === undefined || one.is_default === given.is_default) &&
        isWithin(one.created, given.created),
    );
}

const flowShape = z.strictObject({
  after_completion: z
    .strictObject({
      type: z.enum(['hosted_confirmation', 'portal_homepage', 'redirect']),
      redirect: z.strictObject({ return_url: text }).optional(),
      hosted_confirmation: z.strictObject({ custom_message: text.optional() }).optional(),
    })
    .optional(),
  subscription_cancel: z.strictObject({ subscription: text, retention: z.unknown().optional() }).optional(),
  subscription_update: z.strictObject({ subscription: text }).optional(),
  subscription_update_confirm: z
    .strictObject({
      subscription: text,
      items: listOf(z.strictObject({ id: text, price: text.optional(), quantity: whole.optional() })),
      discounts: z.unknown().optional(),
    })
    .optional(),
  type: z.enum([
    'payment_method_update',
    'subscription_cancel',
    'subscription_update',
    'subscription_update_confirm',
  ]),
});

export const createPortalShape = z.strictObject({
  ...common,
  configuration: text.optional(),
  customer: text,
  flow_data: flowShape.optional(),
  locale: text.optional(),
  return_url: text.optional(),
});

type Flow = NonNullable<PortalSession['flow']>;

function flowOf(world: StripeWorld, given: z.output<typeof flowShape>, customer: string): Flow {
  const id = (given.subscription_cancel ?? given.subscription_update ?? given.subscription_update_confirm)
    ?.subscription;
  if (id) {
    const subscription = world.require('subscription', id, `flow_data[${given.type}][subscription]`);
    if (subscription.customer !== customer)
      // Believed.
      throw invalidRequest(`The subscription ${id} does not belong to the customer.`);
  }
  const after = given.after_completion;
  return {
    after_completion: {
      hosted_confirmation: after?.hosted_confirmation
        ? { custom_message: after.hosted_confirmation.custom_message ?? null }
        : null,
      redirect: after?.redirect ?? null,
      type: after?.type ?? 'portal_homepage',
    },
    customer_update: null,
    subscription_cancel: given.subscription_cancel
      ? { retention: null, subscription: given.subscription_cancel.subscription }
      : null,
    subscription_pause: null,
    subscription_update: given.subscription_update ?? null,
    subscription_update_confirm: given.subscription_update_confirm
      ? {
          discounts: null,
          items: given.subscription_update_confirm.items.map(({ id: item, price = null, quantity }) => ({
            id: item,
            price,
            ...(quantity !== undefined && { quantity }),
          })),
          subscription: given.subscription_update_confirm.subscription,
        }
      : null,
    type: given.type,
  };
}

/** A link that is good for one visit, https://docs.stripe.com/api/customer_portal/sessions/create. */
export function createPortalSession(
  world: StripeWorld,
  given: z.output<typeof createPortalShape>,
): PortalSession {
  const { id: customer } = world.require('customer', given.customer, 'customer');
  const configuration = given.configuration
    ? world.require('billing_portal.configuration', given.configuration, 'configuration')
    : world.all('billing_portal.configuration').find((one) => one.is_default);
  if (!configuration) {
    throw invalidRequest(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
    );
  }
  const returnUrl = given.return_url ?? configuration.default_return_url;
  const id = newId('billing_portal.session');
  return world.create('billing_portal.session', {
    id,
    object: 'billing_portal.session',
    configuration: configuration.id,
    created: world.seconds(),
    customer,
    customer_account: null,
    flow: given.flow_data ? flowOf(world, given.flow_data, customer) : null,
    livemode: false,
    locale: (given.locale as PortalSession['locale']) ?? null,
    on_behalf_of: null,
    return_url: returnUrl,
    url: world.pageUrl(`/p/session/${id}`),
  });
}
