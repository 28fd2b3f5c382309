import { config } from '#app/config.server.ts';
import { processLog } from '#app/http/logger.server.ts';
import { openDomainClock } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { type Billing, openBilling } from '#billing/billing.ts';

let opening: Promise<Billing> | null = null;

async function open(settings: Billing['settings']): Promise<Billing> {
  const { publicUrl, operatorEmail } = config();
  const clock = await openDomainClock();
  return openBilling({
    settings,
    publicUrl,
    operatorEmail,
    db: await database(),
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
