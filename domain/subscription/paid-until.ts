import type { Plan } from '#domain/plan/plans.ts';

/** A line of an invoice. */
export interface InvoiceLine {
  /** Null if the line is for something else than one of our plans. */
  plan: Plan | null;
  amount: number;
  startMs: number;
  endMs: number;
  /** True for a part of a period, after a change of plan. */
  isProration: boolean;
}

/** An invoice of a subscription, in our words. */
export interface InvoiceFacts {
  status: 'unpaid' | 'paid' | 'void';
  createdAtMs: number;
  lines: readonly InvoiceLine[];
  total: number;
  /** The amount charged for it; less than the total if the customer's balance paid a part. */
  charged: number;
  /**
   * The amount that was returned: refunds, credit notes, and money that banks hold while a dispute is open or
   * lost.
   */
  returned: number;
  returnedBy: 'refund' | 'dispute' | null;
  /** The payments that took money; refunds go to these. */
  payments: readonly string[];
  /**
   * State of an unpaid invoice: its payment is still to come, is a debit that the bank has not answered, or
   * has failed.
   */
  collection: 'pending' | 'underWay' | 'failed';
  /** Time of the first failed payment; null if unknown. */
  failedAtMs: number | null;
}

/** The facts about a plan that its subscription's invoices show. */
export interface Paid {
  /** The plan that paid invoices cover, and until when; null if they cover none. */
  coverage: { untilMs: number; plan: Plan } | null;
  /**
   * The payment that is due for the plan: none, one to come, a debit under way, or one that failed. A failed
   * charge for something else counts as none.
   */
  due: 'none' | InvoiceFacts['collection'];
  failedAtMs: number | null;
  /** The reason why nothing covers the present plan any more, although it was paid for. */
  reversedBy: 'refund' | 'dispute' | null;
  /** The payments that cover future time. */
  payments: readonly string[];
}

export const nothingPaid: Paid = {
  coverage: null,
  due: 'none',
  failedAtMs: null,
  reversedBy: null,
  payments: [],
};

type PlanLine = InvoiceLine & { plan: Plan };

const isPlanLine = (line: InvoiceLine): line is PlanLine => line.plan !== null;
/**
 * The lines that bought time: a trial costs nothing and covers nothing, and a credit from a change of plan is
 * no purchase.
 */
const boughtIn = ({ lines }: InvoiceFacts): PlanLine[] =>
  lines.filter(isPlanLine).filter(({ amount }) => amount > 0);
const periodsIn = (invoice: InvoiceFacts): PlanLine[] =>
  boughtIn(invoice).filter(({ isProration }) => !isProration);

/** The part of an invoice that was paid back, from 0 to 1. */
function returnedShare({ charged, total, returned }: InvoiceFacts): number {
  const base = charged > 0 ? charged : total;
  return base > 0 ? Math.min(1, Math.max(0, returned / base)) : 0;
}

/** The remaining money pays for the same share of the time: a refund of half leaves half of the period. */
const leftUntil = (invoice: InvoiceFacts, { startMs, endMs }: InvoiceLine): number =>
  endMs - Math.round((endMs - startMs) * returnedShare(invoice));

/**
 * Returns the time from which unused time was credited without another plan for it, as an immediate
 * cancellation may do.
 */
function creditedFrom(invoices: readonly InvoiceFacts[]): number {
  const starts = invoices
    .filter((invoice) => boughtIn(invoice).length === 0)
    .flatMap(({ lines }) => lines.filter(isPlanLine).filter(({ amount }) => amount < 0))
    .map(({ startMs }) => startMs);
  return Math.min(Number.POSITIVE_INFINITY, ...starts);
}

/** Decides from a subscription's invoices until when its plan is paid for, and what is overdue. */
export function paidOf(invoices: readonly InvoiceFacts[], plan: Plan | null, nowMs: number): Paid {
  const paid = invoices.filter(({ status }) => status === 'paid');
  const isUnreturned = (invoice: InvoiceFacts) => returnedShare(invoice) < 1;
  const isNow = ({ startMs, endMs }: InvoiceLine) => startMs <= nowMs && nowMs < endMs;
  const unreturned = paid.filter(isUnreturned).sort((a, b) => b.createdAtMs - a.createdAtMs);
  const reversed = paid.find((invoice) => !isUnreturned(invoice) && boughtIn(invoice).some(isNow));
  const pays =
    unreturned.some((invoice) => periodsIn(invoice).some(isNow)) &&
    unreturned.some((invoice) => boughtIn(invoice).some((line) => isNow(line) && isSame(line.plan, plan)));
  const ahead = unreturned.filter((invoice) => boughtIn(invoice).some(({ endMs }) => endMs > nowMs));
  return {
    coverage: coverageOf(unreturned, creditedFrom(paid)),
    ...dueOf(invoices, paid),
    reversedBy: reversed && !pays ? reversed.returnedBy : null,
    payments: ahead.flatMap(({ payments }) => payments),
  };
}

const isSame = (one: Plan, other: Plan | null): boolean =>
  one.product === other?.product && one.tier === other.tier && one.period === other.period;

function coverageOf(newestFirst: readonly InvoiceFacts[], creditedMs: number): Paid['coverage'] {
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const invoice of newestFirst)
    for (const line of periodsIn(invoice)) untilMs = Math.max(untilMs, leftUntil(invoice, line));
  untilMs = Math.min(untilMs, creditedMs);
  const isWithin = ({ startMs, endMs }: InvoiceLine) => startMs < untilMs && untilMs <= endMs;
  for (const invoice of newestFirst) {
    // The plan after a change: a new period's line, or else the line for the rest of the period.
    const line = periodsIn(invoice).find(isWithin) ?? boughtIn(invoice).find(isWithin);
    if (line) return { untilMs, plan: line.plan };
  }
  return null;
}

/**
 * Looks at the periods after those that are paid, because an older invoice that stayed open says nothing
 * about the present.
 */
function dueOf(
  invoices: readonly InvoiceFacts[],
  paid: readonly InvoiceFacts[],
): Pick<Paid, 'due' | 'failedAtMs'> {
  const paidEndMs = Math.max(0, ...paid.flatMap(periodsIn).map(({ endMs }) => endMs));
  const unpaid = invoices.filter(
    (invoice) => invoice.status === 'unpaid' && periodsIn(invoice).some(({ endMs }) => endMs > paidEndMs),
  );
  const failed = unpaid.filter(({ collection }) => collection === 'failed');
  if (failed.length === 0) {
    const isUnderWay = unpaid.some(({ collection }) => collection === 'underWay');
    return { due: isUnderWay ? 'underWay' : unpaid.length > 0 ? 'pending' : 'none', failedAtMs: null };
  }
  const moments = failed.flatMap(({ failedAtMs }) => failedAtMs ?? []);
  return { due: 'failed', failedAtMs: moments.length > 0 ? Math.min(...moments) : null };
}
