import { readCapacity } from '#bot/steam/read-capacity.ts';
import { readProfile } from '#bot/steam/read-profile.ts';
import { atIntervals, startWorker, type Worker, type WorkerOptions } from '#bot/worker.ts';
import type { SelfTest } from '#domain/bot/record-self-test.ts';
import { cancelOffers } from './cancel-offers.ts';
import { cancelStrays } from './cancel-strays.ts';
import { checkClaims } from './check-claims.ts';
import { confirmOffers } from './confirm-offers.ts';
import { deliverTransfers } from './deliver-transfers.ts';
import { followOffers } from './follow-offers.ts';
import { inTurn } from './in-turn.ts';
import { searchEveryMs } from './polls.ts';
import { reconcileInventory } from './reconcile-inventory.ts';
import { resolveUncertain } from './resolve-uncertain.ts';
import { testEndpoints } from './self-test.ts';
import { settleTrades } from './settle-trades.ts';
import type { TransferWork } from './transfer-work.ts';

export interface TransferWorkers {
  /** Runs the workers now, because there may be something to do. */
  nudge(): void;
  handleOfferChange(offerId: string): void;
  /** Called after a new log-on: reads all offers and compares the inventory. */
  handleReady(): void;
  /** Compares what Steam's endpoints show of known offers, and stores nothing. */
  testNow(): Promise<SelfTest[]>;
  stop(): Promise<void>;
}

/** For work where a delay of seconds does not matter. */
const MAX_INTERVAL_MS = 10_000;

/** Starts all workers for one bot's transfers, each kind of work in its own loop. */
export function startTransferWorkers(
  parts: Omit<TransferWork, 'nudge' | 'reconcileSoon' | 'delivery' | 'resending' | 'bookArrival'>,
): TransferWorkers {
  const woken: Worker[] = [];
  const nudge = () => {
    for (const worker of woken) worker.nudge();
  };
  const reconcileSoon = () => reconcile.nudge();
  const work: TransferWork = {
    ...parts,
    delivery: { isUnderWay: false, sendingId: null },
    resending: new Set(),
    bookArrival: inTurn(),
    nudge,
    reconcileSoon,
  };
  const { pace, botId } = work;
  const follower = followOffers(work);
  const claims = checkClaims(work);
  const { changes, log } = work.deps;
  const start = (name: string, everyMs: number, run: WorkerOptions['run']): Worker => {
    const worker = startWorker({ name: `${name}:${botId}`, everyMs, run, changes, log });
    woken.push(worker);
    return worker;
  };
  start('check', pace.queueMs, claims.round);
  start('deliver', pace.queueMs, (signal) => deliverTransfers(work, claims.checked, signal));
  start('find', searchEveryMs(pace), resolveUncertain(work));
  start('confirm', pace.confirmMs, confirmOffers(work));
  const follow = start('follow', Math.min(MAX_INTERVAL_MS, pace.followMs), follower.round);
  start('cancel', Math.min(MAX_INTERVAL_MS, pace.followMs), (signal) => cancelOffers(work, signal));
  start('settle', Math.min(MAX_INTERVAL_MS, pace.settleMs), settleTrades(work));
  /** Starts a worker that reads much, and is not woken with the others. */
  const startSeldom = (name: string, everyMs: number, run: WorkerOptions['run']): Worker =>
    startWorker({ name: `${name}:${botId}`, everyMs, run, log });
  const reconcile = startSeldom('reconcile', pace.reconcileMs, reconcileInventory(work));
  const strays = startSeldom(
    'strays',
    pace.followMs,
    atIntervals(pace.followMs, (signal) => cancelStrays(work, signal)),
  );
  const profile = startSeldom('profile', pace.profileMs, atIntervals(pace.profileMs, readProfile(work)));
  const tester = testEndpoints(work);
  const selfTest = startSeldom('self-test', pace.selfTestMs, tester.round);
  const capacity = startSeldom('capacity', pace.profileMs, atIntervals(pace.profileMs, readCapacity(work)));
  return {
    nudge,
    handleOfferChange(offerId) {
      follower.markChanged(offerId);
      follow.nudge();
    },
    handleReady() {
      follower.markAllChanged();
      nudge();
      reconcileSoon();
      profile.nudge();
      capacity.nudge();
      selfTest.nudge();
    },
    testNow: tester.look,
    async stop() {
      await Promise.all(
        [...woken, reconcile, strays, profile, capacity, selfTest].map((worker) => worker.stop()),
      );
    },
  };
}
