import Stripe from 'stripe';
import { done, type Outcome } from '#domain/kernel/outcome.ts';
import {
  type ActName,
  advanceAct,
  type BillingAct,
  findDueAct,
  keyOf,
  listActsOf,
  wantActs,
} from '#domain/subscription/billing-acts.ts';
import { ask, type Billing, isLiveKey, isMissing, type StripeCode } from './billing.ts';
import { performers, type Standing } from './performers.ts';

/** Carries out an act that is due, whoever requested it. An act that is no longer due counts as done. */
export async function carryOut(
  billing: Billing,
  name: ActName,
): Promise<Outcome<{ isDone: boolean }, StripeCode>> {
  const act = await findDueAct(billing.db.read, name);
  return act ? carryOutAct(billing, act) : done({ isDone: true });
}

/** Carries out the acts of a user whose turn has come. Goes on after a failure and returns the first one. */
export async function carryOutDue(
  billing: Billing,
  userId: string,
): Promise<Outcome<{ count: number }, StripeCode>> {
  let count = 0;
  let failure: { ok: false; code: StripeCode } | null = null;
  for (const act of await listActsOf(billing.db.read, userId)) {
    // Closing a checkout page checks by itself whether it was paid meanwhile.
    if (act.kind === 'expire' || act.nextAtMs > billing.now()) continue;
    const carried = await carryOutAct(billing, act);
    if (!carried.ok) failure ??= carried;
    else if (carried.isDone) count++;
  }
  return failure ?? done({ count });
}

/** Facts that a failed request leaves behind. */
interface Failure {
  /** Stripe answered it, so its key is used up. */
  isAnswered: boolean;
  error: string;
}

/**
 * Asks Stripe for an act and stores the result. The row exists before the call and its key follows from it:
 * after a crash or a lost answer the same request is repeated, and after an unsuccessful answer a new one is
 * made.
 */
async function carryOutAct(
  billing: Billing,
  act: BillingAct,
): Promise<Outcome<{ isDone: boolean }, StripeCode>> {
  const failure: Failure = { isAnswered: false, error: '' };
  const asked = await ask(billing, performers[act.kind].what, () => request(billing, act, failure));
  const { db, operatorEmail, now } = billing;
  const nowMs = now();
  if (!asked.ok) {
    const event = failure.isAnswered ? 'answered' : 'silent';
    const tried = { event, error: failure.error, operatorEmail, nowMs } as const;
    await db.transaction((tx) => advanceAct(tx, act, tried));
    return asked;
  }
  const { isOver, unpaid } = asked.value;
  await db.transaction(async (tx) => {
    await advanceAct(tx, act, { event: isOver ? 'done' : 'early', operatorEmail, nowMs });
    await wantActs(tx, act.userId, unpaid, nowMs);
  });
  for (const each of unpaid) await carryOut(billing, each);
  return done({ isDone: isOver });
}

async function request(
  billing: Billing,
  act: BillingAct,
  failure: Failure,
): Promise<{ isOver: boolean; unpaid: ActName[] }> {
  const { stripe } = billing;
  try {
    const standing = await standingOf(billing, act);
    if (standing === 'early') return { isOver: false, unpaid: [] };
    if (standing === 'open') await perform(billing, act, failure);
    return { isOver: true, unpaid: act.kind === 'cancel' ? await unpaidOf(stripe, act.subjectId) : [] };
  } catch (error) {
    failure.error = error instanceof Error ? error.message : String(error);
    throw error;
  }
}

/** Makes the request. After a failure it reads the object again: an act that is done counts, whoever did it. */
async function perform(billing: Billing, act: BillingAct, failure: Failure): Promise<void> {
  try {
    await performers[act.kind].run(billing.stripe, act, { idempotencyKey: keyOf(act) });
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    failure.isAnswered = isAnswer(error);
    const standing = await standingOf(billing, act).catch(() => 'unknown');
    if (standing !== 'over') throw error;
  }
}

/** If the key is in use, the request is still running, and its result is unknown. */
const isAnswer = ({ type, code }: Stripe.errors.StripeError): boolean =>
  type !== 'StripeConnectionError' && code !== 'idempotency_key_in_use';

/** Reads whether an act is still to be done. Without its object it is over, unless a test key hides the object. */
async function standingOf(billing: Billing, { kind, subjectId }: BillingAct): Promise<Standing> {
  try {
    return await performers[kind].read(billing.stripe, subjectId);
  } catch (error) {
    if (isMissing(error) && isLiveKey(billing)) return 'over';
    throw error;
  }
}

/** The unpaid invoices of a cancelled subscription are voided, so that nobody pays for nothing. */
async function unpaidOf(stripe: Stripe, subscription: string): Promise<ActName[]> {
  const { data } = await stripe.invoices.list({ subscription, status: 'open', limit: 100 });
  return data.map(({ id }) => ({ kind: 'void', subjectId: id }));
}
