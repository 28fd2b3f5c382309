import { openBilling } from '#billing/billing.ts';
import { handleEvents } from '#billing/handle-events.ts';
import { runRound } from '#billing/run-round.ts';
import type { BotPart } from '#bot/deps.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import { startWorker, type Worker } from '#bot/worker.ts';
import { hour, second } from '#domain/kernel/time.ts';
import { nextActMs } from '#domain/subscription/billing-acts.ts';
import { nextEventDueMs } from '#domain/subscription/event-inbox.ts';

const EVENTS_MS = 2 * second;
const ROUND_MS = 5 * 60 * second;

/**
 * Starts the work that follows from Stripe's events, and the work that no event starts. Does nothing on a
 * free instance.
 */
export function startBilling({ config, db, clock, changes, log, lease }: LeasedDeps): BotPart {
  if (!config.billing)
    return {
      report: () => ({ billing: { state: 'off', detail: 'STRIPE_SECRET_KEY is not set' } }),
      nudge() {},
      async stop() {},
    };
  const { publicUrl, operatorEmail, billing: settings } = config;
  const billing = openBilling({
    settings,
    publicUrl,
    operatorEmail,
    db,
    now: clock.now,
    log,
    mayAsk: lease.isHeld,
  });
  let isCurrent = true;
  const workers: Worker[] = [
    startWorker({
      name: 'billing-events',
      everyMs: EVENTS_MS,
      changes,
      log,
      async run(signal) {
        await handleEvents(billing, signal);
        return nextEventDueMs(db, Date.now());
      },
    }),
    startWorker({
      name: 'billing',
      everyMs: ROUND_MS,
      log,
      async run(signal) {
        const isDone = await runRound(billing, signal);
        // Not asked, Stripe is not to blame.
        if (!lease.isHeld()) return 0;
        isCurrent = isDone;
        if (!isCurrent) return 0;
        return Math.min(hour, (await nextActMs(db, clock.now())) ?? hour);
      },
    }),
  ];
  return {
    report: () => ({
      billing: isCurrent ? { state: 'ready' } : { state: 'faulty', detail: 'Stripe does not answer' },
    }),
    nudge() {
      for (const worker of workers) worker.nudge();
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
