import { stripeCodeOf } from '#billing/billing.ts';
import { findStripeFaults, type StripeFault } from '#billing/find-stripe-faults.ts';
import { openStripe } from '#billing/stripe-client.ts';
import { type ConfigurationValues, type Environment, readConfiguration } from '#platform/configuration.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { trialUrl } from '#platform/listen-address.ts';
import { billingSettingsOf, billingVariables, processVariables } from '#platform/shared-variables.ts';
import type { Finding } from './finding.ts';

/** The examination of an instance that sells plans. */
export const stripePlan = {
  ...billingVariables,
  PUBLIC_URL: processVariables.PUBLIC_URL,
  PORT: processVariables.PORT,
};
type StripeValues = ConfigurationValues<typeof stripePlan>;

const publicUrlOf = ({ PUBLIC_URL, PORT }: StripeValues) => PUBLIC_URL ?? new URL(trialUrl(PORT));

/** Examines the keys, and compares the account at Stripe with them. Says nothing of a free instance. */
export async function examineStripe(environment: Environment): Promise<Finding[]> {
  const read = readConfiguration(stripePlan, environment);
  if (!read.ok) return [];
  return [...examineStripeKeys(read.values), ...(await examineStripeAccount(read.values))];
}

/** Compares prices, the portal and the webhook endpoint at Stripe. Asks nobody on a free instance; changes nothing. */
export async function examineStripeAccount(given: StripeValues): Promise<Finding[]> {
  const settings = billingSettingsOf(given);
  if (!settings) return [];
  try {
    const publicUrl = publicUrlOf(given);
    return gather(await findStripeFaults({ stripe: openStripe(settings), settings, publicUrl }));
  } catch (error) {
    return [whyNotAsked(error)];
  }
}

/** Examines the keys without asking anybody. */
export function examineStripeKeys(given: StripeValues): Finding[] {
  const settings = billingSettingsOf(given);
  if (!settings) return [];
  const publicUrl = publicUrlOf(given);
  const findings: Finding[] = [];
  if (/^[rs]k_test_/.test(settings.secretKey) && !isLoopback(publicUrl.hostname))
    findings.push({
      name: 'stripeTestKey',
      what: `STRIPE_SECRET_KEY is a key of test mode, and PUBLIC_URL is ${publicUrl.origin}.`,
      why: 'Anybody gets a plan with a test card, and nobody pays.',
      remedy: 'Set the live key, and run `keepsake stripe:setup` with it.',
    });
  if (settings.webhookSecret === null)
    findings.push({
      name: 'stripeWebhookSecretMissing',
      what: 'STRIPE_WEBHOOK_SECRET is not set.',
      why: 'The web process does not start without it.',
      remedy:
        'Run `keepsake stripe:setup` and set what it prints. If the endpoint exists already, reveal its secret in the Stripe dashboard.',
    });
  return findings;
}

/** One finding for each name, however many prices are wrong. */
function gather(faults: readonly StripeFault[]): Finding[] {
  const names = [...new Set(faults.map(({ name }) => name))];
  return names.map((name) => {
    const whats = faults.filter((fault) => fault.name === name).map(({ what }) => what);
    return { name, what: `At Stripe: ${whats.join('; ')}.`, ...advice[name] };
  });
}

const setUp = 'Run `keepsake stripe:setup`.';
const advice: Record<StripeFault['name'], Pick<Finding, 'why' | 'remedy'>> = {
  stripePriceMissing: { why: 'These plans cannot be sold.', remedy: setUp },
  stripePriceDiffers: {
    why: 'Buyers are charged something else than the pages show.',
    remedy: `${setUp} Who pays an old price goes on paying it.`,
  },
  stripeTaxCodeMissing: { why: 'With STRIPE_TAX=managed Stripe refuses to sell it.', remedy: setUp },
  stripePortalMissing: { why: 'Subscribers cannot change their card.', remedy: setUp },
  stripePortalDiffers: { why: 'Subscribers can do there what our rules exclude.', remedy: setUp },
  stripePortalNotSet: {
    why: 'Subscribers are sent to another portal, which may change or pause plans.',
    remedy: 'Set STRIPE_PORTAL_CONFIGURATION as `keepsake stripe:setup` prints it.',
  },
  stripeMethodsDiffer: {
    why: 'Buyers are offered other means of payment than the settings say; a debit is answered only days later.',
    remedy: 'Change the means of payment in the Stripe dashboard, or STRIPE_DEBITS.',
  },
  stripeMethodsUnreadable: {
    why: 'Whether buyers are offered what the settings say is not known.',
    remedy: 'Let the key read payment method configurations, or look there yourself.',
  },
  stripeWebhookMissing: {
    why: 'What happens at Stripe is noticed up to a day later.',
    remedy: `${setUp} Set the secret that it prints.`,
  },
  stripeWebhookDiffers: { why: 'What happens at Stripe is noticed up to a day later.', remedy: setUp },
};

function whyNotAsked(error: unknown): Finding {
  const { message } = error as Error;
  if (stripeCodeOf(error) === 'unavailable')
    return {
      name: 'stripeUnavailable',
      what: `Stripe does not answer: ${message}`,
      why: 'Nobody can buy or change a plan, and the account could not be compared.',
      remedy: 'Check the network and status.stripe.com, and run this again.',
    };
  return {
    name: 'stripeKeyRefused',
    what: `Stripe refuses STRIPE_SECRET_KEY: ${message}`,
    why: 'Nobody can buy, change or cancel a plan.',
    remedy:
      'Set the secret key of your account; a restricted key needs the rights that docs/billing.md lists.',
  };
}
