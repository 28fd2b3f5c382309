import { atIntervals, startWorker, type Worker, type WorkerOptions } from '#bot/worker.ts';
import { cancelOffers } from './cancel-offers.ts';
import { checkClaims } from './check-claims.ts';
import { confirmOffers } from './confirm-offers.ts';
import { deliverTransfers } from './deliver-transfers.ts';
import { followOffers } from './follow-offers.ts';
import { reconcileInventory } from './reconcile-inventory.ts';
import { resolveUncertain } from './resolve-uncertain.ts';
import { settleTrades } from './settle-trades.ts';
import type { TransferWork } from './transfer-work.ts';

export interface TransferWorkers {
  /** There may be something to do. */
  nudge(): void;
  handleOfferChange(offerId: string): void;
  /** The bot is logged on anew: everything is looked at, and the inventory compared. */
  handleReady(): void;
  stop(): Promise<void>;
}

/** A doubtful offer, an end of a promise: seconds matter little. */
const MAX_INTERVAL_MS = 10_000;

/** Starts everything that one bot's transfers need, each kind of work in a loop of its own. */
export function startTransferWorkers(parts: Omit<TransferWork, 'nudge' | 'doubtCustody'>): TransferWorkers {
  const workers: Record<string, Worker> = {};
  const nudge = () => {
    for (const [name, worker] of Object.entries(workers)) if (name !== 'reconcile') worker.nudge();
  };
  const doubtCustody = () => workers.reconcile?.nudge();
  const work: TransferWork = { ...parts, nudge, doubtCustody };
  const { pace, botId } = work;
  const follower = followOffers(work);
  const claims = checkClaims(work);
  const { changes, log } = work.deps;
  const start = (name: string, everyMs: number, run: WorkerOptions['run']) => {
    workers[name] = startWorker({ name: `${name}:${botId}`, everyMs, run, changes, log });
  };
  start('check', pace.queueMs, claims.round);
  start('deliver', pace.queueMs, (signal) => deliverTransfers(work, claims.checked, signal));
  start('find', Math.min(MAX_INTERVAL_MS, pace.absenceMs), resolveUncertain(work));
  start('confirm', pace.confirmMs, confirmOffers(work));
  start('follow', Math.min(MAX_INTERVAL_MS, pace.followMs), follower.round);
  start('cancel', Math.min(MAX_INTERVAL_MS, pace.followMs), (signal) => cancelOffers(work, signal));
  start('settle', Math.min(MAX_INTERVAL_MS, pace.settleMs), settleTrades(work));
  workers.reconcile = startWorker({
    name: `reconcile:${botId}`,
    everyMs: pace.reconcileMs,
    run: atIntervals(pace.reconcileMs, (signal) => reconcileInventory(work, signal)),
    log,
  });
  return {
    nudge,
    handleOfferChange(offerId) {
      follower.markChanged(offerId);
      workers.follow?.nudge();
    },
    handleReady() {
      follower.markAllChanged();
      nudge();
      doubtCustody();
    },
    async stop() {
      await Promise.all(Object.values(workers).map((worker) => worker.stop()));
    },
  };
}
