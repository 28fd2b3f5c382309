import { type Billing, openBilling } from '#billing/billing.ts';
import { findDrift } from '#billing/find-drift.ts';
import { findStripeFaults } from '#billing/find-stripe-faults.ts';
import { setUpStripe } from '#billing/set-up-stripe.ts';
import { openStripe } from '#billing/stripe-client.ts';
import { openDatabase } from '#db/database.ts';
import { priceOf } from '#domain/plan/plans.ts';
import { listStuckActs } from '#domain/subscription/billing-acts.ts';
import { listSubscriptions } from '#domain/subscription/list-subscriptions.ts';
import type { Subscription } from '#domain/subscription/transition.ts';
import { openClock } from '#platform/clock.ts';
import { describeFaults, type Environment, faultOf, readConfiguration } from '#platform/configuration.ts';
import {
  billingSettingsOf,
  billingVariables,
  processVariables,
  storeVariables,
} from '#platform/shared-variables.ts';
import { openVault, storeOf } from './settings.ts';

const plan = {
  ...storeVariables,
  ...billingVariables,
  PORT: processVariables.PORT,
  PUBLIC_URL: processVariables.PUBLIC_URL,
  KEEPSAKE_CLOCK_URL: processVariables.KEEPSAKE_CLOCK_URL,
};

type Print = (line: string) => void;

/** Reads the settings of a command that needs Stripe; null if some are missing, which it prints. */
function settingsOf(environment: Environment, print: Print) {
  const outcome = readConfiguration(plan, environment);
  const settings = outcome.ok ? billingSettingsOf(outcome.values) : null;
  if (!outcome.ok) print(describeFaults(outcome.faults));
  else if (!settings) print(describeFaults([faultOf(plan, 'STRIPE_SECRET_KEY', 'is not set')]));
  if (!outcome.ok || !settings) return null;
  const given = outcome.values;
  const publicUrl = given.PUBLIC_URL ?? new URL(`http://localhost:${given.PORT}`);
  return { given, settings, publicUrl };
}

/** Sets up everything in the Stripe account that the plans need, and prints the settings that follow. */
export async function runStripeSetup(environment: Environment, print: Print): Promise<boolean> {
  const read = settingsOf(environment, print);
  if (!read) return false;
  const { settings, publicUrl } = read;
  const { done, toDo, portalConfiguration, webhookSecret } = await setUpStripe({
    stripe: openStripe(settings),
    settings,
    publicUrl,
  });
  for (const line of done) print(line);
  print(done.length === 0 ? 'Everything is as the plans need it.' : 'The account is set up.');
  for (const line of toDo) print(`Only you can change this: ${line}.`);
  print('');
  print('Put these into the settings of web and bot:');
  print(`STRIPE_PORTAL_CONFIGURATION=${portalConfiguration}`);
  print(
    webhookSecret
      ? `STRIPE_WEBHOOK_SECRET=${webhookSecret}`
      : '# STRIPE_WEBHOOK_SECRET stays as it is; Stripe shows it only when the endpoint is created.',
  );
  return true;
}

/** Prints who pays for what, whose payment is overdue, and where Stripe and the store differ. Fails if they do. */
export async function runBilling(environment: Environment, print: Print): Promise<boolean> {
  const read = settingsOf(environment, print);
  if (!read) return false;
  const { given, settings, publicUrl } = read;
  const opened = openVault(given);
  if (!opened.ok) {
    print(opened.why);
    return false;
  }
  const db = await openDatabase(storeOf(given), opened.vault);
  const clock = await openClock(given.KEEPSAKE_CLOCK_URL?.href);
  const quiet = { info() {}, warn() {}, error() {} };
  const facts = { settings, publicUrl, operatorEmail: null, now: clock.now, log: quiet };
  try {
    return await reportBilling(openBilling({ ...facts, db }), print);
  } finally {
    clock.stop();
    await db.close();
  }
}

/** At most this many failing acts are printed. */
const MAX_ACTS = 100;
const dateOf = (ms: number): string => new Date(ms).toISOString();

/** Prints the report of `keepsake billing`. Returns whether Stripe and the store agree. */
export async function reportBilling(billing: Billing, print: Print): Promise<boolean> {
  const live = await readAll(billing);
  printRevenue(live, billing.settings.currency, print);
  for (const { id, userId, graceUntilMs } of live.filter(({ state }) => state === 'grace'))
    print(`overdue: ${id} of user ${userId}, in force until ${dateOf(graceUntilMs ?? 0)}`);
  for (const { id, problem } of live.filter((each) => each.problem)) print(`unreadable: ${id}: ${problem}`);
  for (const act of await listStuckActs(billing.db, billing.now(), MAX_ACTS))
    print(
      `${act.state === 'due' ? 'not done' : 'given up'}: ${act.kind} ${act.subjectId}, wanted since ${dateOf(act.wantedAtMs)}: ${act.lastError ?? ''}`,
    );
  const compared = await findDrift(billing);
  if (!compared.ok) {
    print('Stripe does not answer, so nothing was compared.');
    return false;
  }
  for (const { subscriptionId, stored, atStripe } of compared.drift)
    print(`differs: ${subscriptionId} is stored as ${stored}, but at Stripe it is ${atStripe}`);
  print(`${compared.compared} subscriptions compared with Stripe, ${compared.drift.length} differ.`);
  const faults = await findStripeFaults(billing);
  for (const { what } of faults) print(`setup: ${what}`);
  if (faults.length > 0) print('Run stripe:setup to repair the account.');
  return compared.drift.length === 0 && faults.length === 0;
}

async function readAll({ db }: Billing): Promise<Subscription[]> {
  const all: Subscription[] = [];
  for (;;) {
    const page = await listSubscriptions(db, { after: all.at(-1)?.id ?? '' });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Counts by plan; a year counts as a twelfth in each month. Trials pay nothing yet. */
function printRevenue(live: readonly Subscription[], currency: string, print: Print): void {
  const counts = new Map<string, number>();
  let monthly = 0;
  for (const { product, tier, period, state, price } of live) {
    const name = `${product} ${tier} by the ${period}, ${state}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (state === 'active' || state === 'ending')
      monthly += (price ?? priceOf(product, tier, period)) / (period === 'year' ? 12 : 1);
  }
  for (const [name, count] of [...counts].sort()) print(`${String(count).padStart(6)}  ${name}`);
  print(`${live.length} subscriptions, ${(monthly / 100).toFixed(2)} ${currency.toUpperCase()} a month.`);
}
