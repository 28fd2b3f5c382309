import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { billing } from '#app/services/billing/billing.server.ts';
import { database } from '#app/services/database.server.ts';
import type { StripeCode } from '#billing/billing.ts';
import { type ListedCharge, listCharges } from '#billing/list-charges.ts';
import { chargeReads } from '#domain/budget/budgets.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { decodeCursor, encodeCursor, type Page } from '#domain/kernel/page.ts';
import { second } from '#domain/kernel/time.ts';
import { findCustomer } from '#domain/subscription/stripe-customer.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** A cursor of the list: the last invoice of a page. */
export const chargeCursor = ['text'] as const;

export type ChargesRefusal = StripeCode | 'noSuchPage' | 'tooMany';
type Read = Outcome<{ page: Page<ListedCharge> }, ChargesRefusal>;

/** A page is reused for this long. Steady time. */
const MAX_AGE_MS = 30 * second;
/** A page that could not be read is not asked for again for this long. Steady time. */
const PAUSE_MS = 10 * second;
const known = boundedCache<string, { untilMs: number; read: Promise<Read> }>('charges', 300);
const reads = new RateLimiterMemory({ points: chargeReads.points, duration: chargeReads.windowMs / second });

/**
 * Reads a page of a user's charges from Stripe, newest first. It is reused for a short time unless the user's
 * subscriptions were fetched since. A user whom Stripe does not know has no charges.
 */
export async function chargesOf(
  userId: string,
  { after, size }: { after: string | null; size: number },
): Promise<Read> {
  const [client, customer] = [await billing(), await findCustomer((await database()).read, userId)];
  if (!client || !customer) return done({ page: { rows: [], next: null } });
  const { customerId, fetchStored } = customer;
  // The last stored fetch is part of the key, so that a newer one leaves older pages unused.
  const key = `${customerId} ${fetchStored} ${size} ${after}`;
  const cached = known.get(key);
  if (cached && cached.untilMs > steadyMs()) return cached.read;
  if (!(await mayRead(userId))) return refuse('tooMany');
  const [from = null] = decodeCursor(after, chargeCursor) ?? [];
  const read = listCharges(client, { customerId, after: from, size }).then((outcome): Read => {
    if (!outcome.ok) {
      known.set(key, { untilMs: steadyMs() + PAUSE_MS, read });
      return outcome;
    }
    const { charges: rows, hasMore } = outcome;
    const last = rows.at(-1);
    return done({ page: { rows, next: hasMore && last ? encodeCursor([last.id]) : null } });
  });
  known.set(key, { untilMs: steadyMs() + MAX_AGE_MS, read });
  return read;
}

async function mayRead(userId: string): Promise<boolean> {
  try {
    await reads.consume(userId);
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}
