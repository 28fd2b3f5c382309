import { config } from '#app/config.server.ts';
import { type Billing, openBilling } from '#billing/billing.ts';
import { openDomainClock } from './clock.server.ts';
import { database } from './database.server.ts';
import { processLog } from './logger.server.ts';

let opening: Promise<Billing> | null = null;

async function open(settings: Billing['settings']): Promise<Billing> {
  const { publicUrl, operatorEmail } = config();
  const clock = await openDomainClock();
  return openBilling({
    settings,
    publicUrl,
    operatorEmail,
    database: await database(),
    now: clock.now,
    log: processLog,
  });
}

/** The account at Stripe, or null on a free instance. Opening it asks Stripe nothing. */
export async function billing(): Promise<Billing | null> {
  const { billing: settings } = config();
  if (!settings) return null;
  opening ??= open(settings).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}
