import { config } from '#app/config.server.ts';
import { minute } from '#domain/kernel/time.ts';
import type { Queues } from '#domain/operator/count-queues.ts';
import type { Queue } from '#domain/operator/queue.ts';
import { redactLine } from '#platform/redaction.ts';

/** A queue whose oldest entry is this old is slow. */
const SLOW_MS = 15 * minute;

interface Times {
  nowMs: number;
  systemMs: number;
}

export interface NamedQueue {
  name: keyof Queues;
  waiting: number;
  ageMs: number | null;
  slow: boolean;
  /** Time of the next retry of something that failed; null if nothing has, or that is now. */
  retryAtMs: number | null;
  /** The last failure: a transfer's code, or the mail server's own words without addresses. */
  problem: string | null;
  /** Number of entries that are no longer retried. */
  givenUp: number;
}

/** Each queue with the clock that its times are of. Queues of transfers stand still while sending is stopped. */
const clocks: Record<keyof Queues, { clock: keyof Times; isSending: boolean }> = {
  claims: { clock: 'nowMs', isSending: true },
  returns: { clock: 'nowMs', isSending: true },
  deposits: { clock: 'nowMs', isSending: true },
  settlements: { clock: 'systemMs', isSending: false },
  mails: { clock: 'nowMs', isSending: false },
  stripeEvents: { clock: 'systemMs', isSending: false },
};
const names = Object.keys(clocks) as (keyof Queues)[];

function namedQueue(name: keyof Queues, queue: Queue & { givenUp?: number }, times: Times): NamedQueue {
  const { waiting, oldestAtMs, retryAtMs, problem, givenUp = 0 } = queue;
  const readMs = times[clocks[name].clock];
  const ageMs = oldestAtMs === null ? null : Math.max(0, readMs - oldestAtMs);
  return {
    name,
    waiting,
    ageMs,
    slow: ageMs !== null && ageMs > SLOW_MS,
    retryAtMs: retryAtMs !== null && retryAtMs > readMs ? retryAtMs : null,
    problem: problem === null ? null : redactLine(problem),
    givenUp,
  };
}

/** The queues of this instance, with how long the oldest entry has waited and why. */
export const namedQueues = (queues: Queues, times: Times): NamedQueue[] =>
  names
    .filter((name) => name !== 'stripeEvents' || config().billing)
    .map((name) => namedQueue(name, queues[name], times));

/** Returns whether any queue is slow without a reason. */
export const isAnySlow = (queues: readonly NamedQueue[], isStopped: boolean): boolean =>
  queues.some(({ name, slow }) => slow && !(isStopped && clocks[name].isSending));
