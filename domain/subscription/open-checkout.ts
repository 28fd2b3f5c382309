import { and, asc, eq, isNull, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import {
  checkouts,
  liveSubscriptionStates,
  type Product,
  subscriptions,
  trials,
} from '#db/schema/billing.ts';
import { newId } from '#domain/kernel/id.ts';
import { billingLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import type { Plan } from '#domain/plan/plans.ts';

/** Lifetime of a checkout page. Stripe allows 30 minutes to 24 hours. */
const CHECKOUT_MS = hour;
/**
 * A request without an answer is repeated under the same key for this long; after that a new checkout is
 * made.
 */
const ANSWER_MS = 5 * minute;

export type Checkout = typeof checkouts.$inferSelect;

/**
 * `alreadySubscribed`: the plan is changed, not bought again. `otherOpen`: a checkout for another plan, or one too old to
 * be used, has to be closed first.
 */
type Opened =
  | Outcome<{ checkout: Checkout }, 'alreadySubscribed'>
  | { ok: false; code: 'otherOpen'; other: Checkout };

/**
 * Opens a checkout, or returns the one that is open for the same plan. A user has at most one for each
 * product, and none for a product that they are subscribed to. Its id makes the request to Stripe idempotent.
 * The trial is offered once per Twitch id and product, and reserved here.
 */
export async function openCheckout(
  db: Database,
  { userId, plan }: { userId: string; plan: Plan },
  nowMs: number,
): Promise<Opened> {
  return db.transaction(
    async (tx) => {
      if (await isSubscribed(tx, userId, plan.product)) return refuse('alreadySubscribed');
      const [open] = await tx
        .select()
        .from(checkouts)
        .where(
          and(eq(checkouts.userId, userId), is(checkouts.product, plan.product), is(checkouts.state, 'open')),
        );
      if (open) {
        const isSame = open.tier === plan.tier && open.period === plan.period;
        const isUsable =
          open.expiresAtMs > nowMs && (open.sessionId !== null || open.createdAtMs > nowMs - ANSWER_MS);
        return isSame && isUsable
          ? done({ checkout: open })
          : ({ ok: false, code: 'otherOpen', other: open } as const);
      }
      const id = newId(nowMs);
      const trialTwitchId = await reserveTrial(tx, { userId, product: plan.product, checkoutId: id }, nowMs);
      const times = { createdAtMs: nowMs, expiresAtMs: nowMs + CHECKOUT_MS };
      const [checkout] = await tx
        .insert(checkouts)
        .values({ id, userId, ...plan, trialTwitchId, ...times })
        .returning();
      if (!checkout) throw new Error(`checkout ${id} was not written`);
      return done({ checkout });
    },
    { lock: billingLock(userId) },
  );
}

async function isSubscribed(tx: Tx, userId: string, product: Product): Promise<boolean> {
  const live = await tx
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.userId, userId),
        is(subscriptions.product, product),
        within(subscriptions.state, liveSubscriptionStates),
      ),
    );
  return live.length > 0;
}

/** Returns the Twitch id that gets a trial, or null: none is linked, or it has had one. */
async function reserveTrial(
  tx: Tx,
  { userId, product, checkoutId }: { userId: string; product: Product; checkoutId: string },
  nowMs: number,
): Promise<string | null> {
  const [twitch] = await tx.select().from(twitchAccounts).where(eq(twitchAccounts.userId, userId));
  if (!twitch) return null;
  const reserved = await tx
    .insert(trials)
    .values({ twitchId: twitch.twitchId, product, checkoutId, takenAtMs: nowMs })
    .onConflictDoNothing()
    .returning({ twitchId: trials.twitchId });
  return reserved[0]?.twitchId ?? null;
}

/** Records the session that Stripe made for a checkout. Returns false if the checkout was closed meanwhile. */
export async function recordSession(
  db: Database,
  { checkoutId, sessionId }: { checkoutId: string; sessionId: string },
): Promise<boolean> {
  const recorded = await db.transaction((tx) =>
    tx
      .update(checkouts)
      .set({ sessionId })
      .where(and(eq(checkouts.id, checkoutId), is(checkouts.state, 'open')))
      .returning({ id: checkouts.id }),
  );
  return recorded.length === 1;
}

/** Closes a checkout that Stripe will not complete any more, which frees a trial that it reserved. */
export async function expireCheckout(db: Database, checkoutId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const expired = await tx
      .update(checkouts)
      .set({ state: 'expired' })
      .where(and(eq(checkouts.id, checkoutId), is(checkouts.state, 'open')))
      .returning({ id: checkouts.id });
    if (expired.length > 0)
      await tx.delete(trials).where(and(eq(trials.checkoutId, checkoutId), isNull(trials.subscriptionId)));
  });
}

/** Like `expireCheckout`, for the checkout that a Stripe session belongs to. */
export async function expireSession(db: Database, sessionId: string): Promise<void> {
  const [found] = await db.read.select().from(checkouts).where(eq(checkouts.sessionId, sessionId));
  if (found) await expireCheckout(db, found.id);
}

/** Finds the open checkout that a Stripe session belongs to, or null. */
export async function findOpenSession({ read }: Database, sessionId: string): Promise<Checkout | null> {
  const [found] = await read.select().from(checkouts).where(eq(checkouts.sessionId, sessionId));
  return found?.state === 'open' ? found : null;
}

/** Lists the open checkouts of a user, or those of anybody that should have expired. */
export const listOpenCheckouts = ({ read }: Database, userId: string): Promise<Checkout[]> =>
  read
    .select()
    .from(checkouts)
    .where(and(eq(checkouts.userId, userId), is(checkouts.state, 'open')));

export const listCheckoutsToClose = (
  { read }: Database,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<Checkout[]> =>
  read
    .select()
    .from(checkouts)
    .where(and(is(checkouts.state, 'open'), lte(checkouts.expiresAtMs, nowMs)))
    .orderBy(asc(checkouts.expiresAtMs))
    .limit(limit);

/** Finds a user's checkout by Stripe's session. */
export async function findCheckout(
  { read }: Database,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<Checkout | null> {
  const [found] = await read
    .select()
    .from(checkouts)
    .where(and(eq(checkouts.sessionId, sessionId), eq(checkouts.userId, userId)));
  return found ?? null;
}
