import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { setUpStripe } from '#billing/set-up-stripe.ts';
import { openStripe, type StripeStage } from '#tests/sandbox/stripe/stage.ts';
import { examineStripe } from '../../cli/doctor/examine-stripe.ts';

let stripe: StripeStage;
let settings: Record<string, string>;

/** An instance that sells plans, with everything as the setup leaves it. */
beforeEach(async () => {
  stripe = await openStripe();
  onTestFinished(() => stripe.close());
  const facts = { currency: 'usd', tax: 'none', debits: false, portalConfiguration: null } as const;
  const { portalConfiguration, webhookSecret } = await setUpStripe({
    stripe: stripe.stripe,
    settings: facts,
    publicUrl: new URL('http://localhost:3000'),
  });
  settings = {
    STRIPE_SECRET_KEY: stripe.world.state.secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret ?? '',
    STRIPE_PORTAL_CONFIGURATION: portalConfiguration,
    STRIPE_API_URL: stripe.server.url,
  };
});

const found = async () => (await examineStripe(settings)).map(({ name }) => name);
const unset = (name: string) => () => {
  delete settings[name];
};
const set = (name: string, value: string) => () => {
  settings[name] = value;
};
const our = (url: string) => url.endsWith('localhost:3000/webhooks/stripe');

async function changePrice(how: { active?: boolean; lookup_key?: string }): Promise<void> {
  const { data } = await stripe.stripe.prices.list({ lookup_keys: ['keepsake_viewer_pro_year'] });
  await stripe.stripe.prices.update(data[0]?.id ?? '', how);
}
async function ourEndpoint(): Promise<string> {
  const { data } = await stripe.stripe.webhookEndpoints.list();
  return data.find(({ url }) => our(url))?.id ?? '';
}

test('Nothing is found in an account that was set up, and nobody is asked on a free instance', async () => {
  expect(await found()).toEqual([]);
  settings = { STRIPE_API_URL: 'http://127.0.0.1:1' };
  expect(await found()).toEqual([]);
});

const planted: Record<string, () => unknown> = {
  stripeTestKey: async () => {
    settings.PUBLIC_URL = 'https://keepsake.example';
    await stripe.stripe.webhookEndpoints.create({
      url: 'https://keepsake.example/webhooks/stripe',
      enabled_events: ['*'],
    });
  },
  stripeWebhookSecretMissing: unset('STRIPE_WEBHOOK_SECRET'),
  stripeMethodsDiffer: set('STRIPE_DEBITS', 'on'),
  stripeMethodsUnreadable: () =>
    stripe.world.faults.failNext({ answer: 403, path: '/v1/payment_method_configurations', times: 1 }),
  stripeKeyRefused: set('STRIPE_SECRET_KEY', 'sk_test_of_somebody_else'),
  stripeUnavailable: () => stripe.world.faults.failNext({ answer: 503, times: 10 }),
  stripePriceMissing: () => changePrice({ active: false }),
  stripePriceDiffers: set('STRIPE_CURRENCY', 'eur'),
  stripeTaxCodeMissing: async () => {
    settings.STRIPE_TAX = 'managed';
    const { data } = await stripe.stripe.products.list();
    await stripe.stripe.products.update(data[0]?.id ?? '', { tax_code: '' });
  },
  stripePortalMissing: () =>
    stripe.stripe.billingPortal.configurations.update(settings.STRIPE_PORTAL_CONFIGURATION ?? '', {
      active: false,
    }),
  stripePortalDiffers: () =>
    stripe.stripe.billingPortal.configurations.update(settings.STRIPE_PORTAL_CONFIGURATION ?? '', {
      features: { subscription_cancel: { enabled: true, mode: 'immediately' } },
    }),
  stripePortalNotSet: unset('STRIPE_PORTAL_CONFIGURATION'),
  stripeWebhookMissing: async () => stripe.stripe.webhookEndpoints.del(await ourEndpoint()),
  stripeWebhookDiffers: async () =>
    stripe.stripe.webhookEndpoints.update(await ourEndpoint(), { enabled_events: ['invoice.paid'] }),
};

test.each(Object.keys(planted))('What is wrong at Stripe is found by name: %s', async (name) => {
  await planted[name]?.();
  expect(await found()).toEqual([name]);
});

test('However many prices differ, there is one finding, which names each', async () => {
  settings.STRIPE_CURRENCY = 'gbp';
  const [finding] = await examineStripe(settings);
  expect(finding?.what).toContain(
    'price keepsake_streamer_basic_month is in usd, but STRIPE_CURRENCY is gbp; price',
  );
  expect(finding?.remedy).toContain('stripe:setup');
});
