import { and, asc, eq, lt, lte, sql } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import {
  type BillingActKind,
  billingActKinds,
  billingActs,
  endedActStates,
  type RefundReason,
} from '#db/schema/billing.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { queueAlarm } from '#domain/outbox/alarm-operator.ts';
import { type ActEvent, actMachine } from './act-machine.ts';

export type BillingAct = typeof billingActs.$inferSelect;

/** An act, named by its kind and its subject. */
export interface ActName {
  kind: BillingActKind;
  subjectId: string;
}

/**
 * An act is retried for this long; by then the operator has been mailed. The row of an act that ended stays
 * as long.
 */
export const GIVE_UP_MS = 30 * day;
const NOTIFY_MS = day;
const RETENTION_MS = 30 * day;
/** Pauses between two attempts. */
const FIRST_PAUSE_MS = minute;
const MAX_PAUSE_MS = 6 * hour;
const SLICE = 1000;

/** The idempotency key of an attempt: Stripe carries it out once. */
export const keyOf = ({ kind, subjectId, attempt }: BillingAct): string => `${kind}-${subjectId}-${attempt}`;

const named = ({ kind, subjectId }: ActName) =>
  and(is(billingActs.kind, kind), eq(billingActs.subjectId, subjectId));

/**
 * Records that something has to be done at Stripe, in the transaction that decides it. An act that is due
 * already stays as it is; one that ended is due again, under a new key.
 */
export async function wantActs(
  tx: Tx,
  userId: string,
  wanted: readonly (ActName & { why?: RefundReason })[],
  nowMs: number,
): Promise<void> {
  for (const { kind, subjectId, why = null } of wanted)
    await tx
      .insert(billingActs)
      .values({ kind, subjectId, userId, why, wantedAtMs: nowMs, nextAtMs: nowMs })
      .onConflictDoUpdate({
        target: [billingActs.kind, billingActs.subjectId],
        set: {
          state: 'due',
          attempt: sql`${billingActs.attempt} + 1`,
          failures: 0,
          lastError: null,
          wantedAtMs: nowMs,
          nextAtMs: nowMs,
          endedAtMs: null,
        },
        setWhere: within(billingActs.state, endedActStates),
      });
}

/** Finds an act that is due, or null. */
export async function findDueAct(q: Reader, name: ActName): Promise<BillingAct | null> {
  const [act] = await q
    .select()
    .from(billingActs)
    .where(and(named(name), is(billingActs.state, 'due')));
  return act ?? null;
}

/** Lists acts whose turn has come, the longest waiting first. */
export const listActsDue = ({ read }: Database, nowMs: number, limit: number): Promise<BillingAct[]> =>
  read
    .select()
    .from(billingActs)
    .where(and(is(billingActs.state, 'due'), lte(billingActs.nextAtMs, nowMs)))
    .orderBy(asc(billingActs.nextAtMs))
    .limit(limit);

/**
 * Lists all due acts of a user in the order of execution: money goes back first, and an invoice is voided
 * last.
 */
export async function listActsOf(q: Reader, userId: string): Promise<BillingAct[]> {
  const acts = await q
    .select()
    .from(billingActs)
    .where(and(eq(billingActs.userId, userId), is(billingActs.state, 'due')));
  return acts.sort((a, b) => billingActKinds.indexOf(a.kind) - billingActKinds.indexOf(b.kind));
}

/** Returns the milliseconds until the next due act has its turn; null if none is due. */
export async function nextActMs({ read }: Database, nowMs: number): Promise<number | null> {
  const [next] = await read
    .select({ nextAtMs: billingActs.nextAtMs })
    .from(billingActs)
    .where(is(billingActs.state, 'due'))
    .orderBy(asc(billingActs.nextAtMs))
    .limit(1);
  return next ? Math.max(0, next.nextAtMs - nowMs) : null;
}

interface Try {
  event: ActEvent;
  /** Stripe's error message. */
  error?: string;
  /** Recipient of a mail about an act that keeps failing; null for nobody. */
  operatorEmail: string | null;
  nowMs: number;
  random?: () => number;
}

/** Returns whether the decision is too old to be carried out. */
const isOutOfTime = ({ wantedAtMs }: BillingAct, nowMs: number): boolean => nowMs - wantedAtMs >= GIVE_UP_MS;

/**
 * Moves an act by the result of an attempt, and notifies the operator of one that has failed for a day.
 * Returns false if another process was faster.
 */
export async function advanceAct(tx: Tx, act: BillingAct, tried: Try): Promise<boolean> {
  const { nowMs, error = null } = tried;
  const isFailure = tried.event === 'answered' || tried.event === 'silent' || tried.event === 'early';
  const event = isFailure && isOutOfTime(act, nowMs) ? 'outOfTime' : tried.event;
  const state = actMachine.next(act.state, event);
  if (state === null) return false;
  const moved = await tx
    .update(billingActs)
    .set({ state, ...(state === 'due' ? nextTry(act, tried) : { endedAtMs: nowMs }), lastError: error })
    .where(and(named(act), is(billingActs.state, 'due'), eq(billingActs.attempt, act.attempt)))
    .returning({ kind: billingActs.kind });
  if (moved.length === 0) return false;
  if (isFailure && tried.event !== 'early' && nowMs - act.wantedAtMs >= NOTIFY_MS)
    await notifyOperator(tx, act, tried);
  return true;
}

/** Withdraws acts that are no longer needed. */
export async function withdrawActs(tx: Tx, acts: readonly BillingAct[], nowMs: number): Promise<void> {
  for (const act of acts) await advanceAct(tx, act, { event: 'withdrawn', operatorEmail: null, nowMs });
}

/** After an answer the key is used up. After silence the same key finds out what happened. */
function nextTry(
  { attempt, failures }: BillingAct,
  { event, nowMs, random = Math.random }: Try,
): Pick<BillingAct, 'attempt' | 'failures' | 'nextAtMs'> {
  const growing = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  const pauseMs = event === 'early' ? MAX_PAUSE_MS : growing;
  return {
    attempt: event === 'answered' ? attempt + 1 : attempt,
    failures: event === 'early' ? failures : failures + 1,
    nextAtMs: nowMs + Math.round(pauseMs * (0.75 + random() / 4)),
  };
}

async function notifyOperator(tx: Tx, act: BillingAct, tried: Try): Promise<void> {
  const { operatorEmail, nowMs, error = '' } = tried;
  if (operatorEmail === null) return;
  const { kind, subjectId: subject, wantedAtMs } = act;
  const untilMs = String(wantedAtMs + GIVE_UP_MS);
  const values = { kind, subject, why: error.slice(0, 500), untilMs };
  const mail = { recipient: operatorEmail, locale: 'en', template: 'billingActStuck', values } as const;
  const key = `act: ${kind} ${subject} of ${wantedAtMs}`;
  await queueAlarm(tx, { key, mail, isOnce: true }, nowMs);
}

/** Lists acts that have failed for a day, or were given up, oldest first; for the operator. */
export const listStuckActs = ({ read }: Database, nowMs: number, limit: number): Promise<BillingAct[]> =>
  read
    .select()
    .from(billingActs)
    .where(
      and(within(billingActs.state, ['due', 'abandoned']), lte(billingActs.wantedAtMs, nowMs - NOTIFY_MS)),
    )
    .orderBy(asc(billingActs.wantedAtMs))
    .limit(limit);

/** Deletes acts that ended long ago. Stripe has dropped their keys by then. */
export async function pruneActs(db: Database, nowMs: number): Promise<void> {
  const { kind, subjectId, state, endedAtMs } = billingActs;
  for (let deleted = SLICE; deleted === SLICE; )
    deleted = await db.transaction(async (tx) => {
      const old = await tx
        .select({ kind, subjectId })
        .from(billingActs)
        .where(and(within(state, endedActStates), lt(endedAtMs, nowMs - RETENTION_MS)))
        .limit(SLICE);
      for (const each of old) await tx.delete(billingActs).where(named(each));
      return old.length;
    });
}
