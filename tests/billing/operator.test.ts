import { expect, test } from 'vitest';
import { findDrift } from '#billing/find-drift.ts';
import { reportBilling, runStripeSetup } from '../../cli/billing.ts';
import {
  atStripe,
  billing,
  fetchAgain,
  setBillingStage,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  withoutTrials,
} from './stage.ts';

setBillingStage();

async function said(run: (print: (line: string) => void) => Promise<boolean>) {
  const lines: string[] = [];
  const ok = await run((line) => void lines.push(line));
  return { ok, text: lines.join('\n') };
}

const setUp = () =>
  said((print) =>
    runStripeSetup(
      {
        STRIPE_SECRET_KEY: billing.settings.secretKey,
        STRIPE_API_URL: billing.settings.apiUrl.href,
        PUBLIC_URL: billing.publicUrl.href,
      },
      print,
    ),
  );

test('stripe:setup prints the settings, the webhook’s secret only once', async () => {
  const first = await setUp();
  expect(first.ok).toBe(true);
  expect(first.text).toMatch(/^STRIPE_WEBHOOK_SECRET=whsec_\w+$/m);
  expect(first.text).toMatch(/^STRIPE_PORTAL_CONFIGURATION=bpc_\w+$/m);
  const second = await setUp();
  expect(second.text).toContain('Everything is as the plans need it.');
  expect(second.text).not.toContain('whsec_');
});

test('Without a key the commands say what is missing', async () => {
  expect(await said((print) => runStripeSetup({}, print))).toEqual({
    ok: false,
    text: 'STRIPE_SECRET_KEY is not set. Set STRIPE_SECRET_KEY to the secret key at dashboard.stripe.com/apikeys.',
  });
});

test('The report counts what is paid, and names what differs from Stripe until it was fetched', async () => {
  const { text } = await setUp();
  billing.settings.portalConfiguration = /bpc_\w+/.exec(text)?.[0] ?? null;
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const report = () => said((print) => reportBilling(billing, print));
  const whole = await report();
  expect(whole.text).toContain('     1  streamer basic by the month, active');
  expect(whole.text).toContain('1 subscriptions, 4.99 USD a month.');
  expect(whole.text).toContain('1 subscriptions compared with Stripe, 0 differ.');
  expect(whole.ok).toBe(true);
  const [subscription] = await atStripe(streamer);
  await stripe.stripe.subscriptions.cancel(subscription?.id ?? '');
  const differing = await report();
  expect(differing.ok).toBe(false);
  expect(differing.text).toContain(
    'is stored as streamer basic active, but at Stripe it is streamer basic covered',
  );
  await fetchAgain(streamer);
  expect(await findDrift(billing)).toMatchObject({ drift: [] });
});
