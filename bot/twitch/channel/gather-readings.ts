import type { BotDeps } from '#bot/deps.ts';
import type { Slots } from '#bot/slots.ts';
import { perTransaction } from '#db/dialect.ts';
import { type Accrued, accrueWatchTimes } from '#domain/audience/accrue-watch-time.ts';
import type { ChattersReading, TimedReading } from '#domain/audience/take-intervals.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import type { Lease } from '#domain/bot/take-leases.ts';
import { second } from '#domain/kernel/time.ts';
import type { Remembered } from '#domain/watch-time/present-viewers.ts';

/** Maximum number of readings that are credited in one transaction. */
const MAX_TOGETHER = perTransaction(100);
/** Maximum number of chatters in them together, so that a transaction stays short; a larger chat is credited alone. */
const MAX_LISTED = 50_000;
/** While there are more live channels than that, a reading waits this long for others. */
const WAIT_MS = second;

interface Waiting extends TimedReading {
  /** That of its channel's slot, as it was when the reading began. */
  lease: Lease;
  resolve(accrued: Accrued): void;
  reject(error: unknown): void;
}

/** The leases of readings, each once. */
const leasesOf = (some: readonly Waiting[]): Lease[] => [
  ...new Map(some.map(({ lease }) => [`${lease.name} ${lease.epoch}`, lease])).values(),
];

/** Credits readings, those of many channels together, and remembers who is present for the next ones. */
export function gatherReadings(
  { slots, log }: Pick<BotDeps, 'log'> & { slots: Pick<Slots, 'databaseFor'> },
  together = MAX_TOGETHER,
  maxListed = MAX_LISTED,
) {
  const remembered: Remembered = new Map();
  let waiting: Waiting[] = [];
  let listed = 0;
  let timer: NodeJS.Timeout | undefined;
  let areMany = false;

  /**
   * Each reading is answered as soon as its own channel is done. If nothing could be credited, the fault may be with one
   * of them, and the others are.
   */
  const credit = async (some: readonly Waiting[]): Promise<void> => {
    const required = leasesOf(some);
    try {
      // A slot is given up as soon as its own channels are done, while the rest of the others is still under way.
      const restOf = ({ lease }: Waiting) => slots.databaseFor([lease]);
      const accrued = await accrueWatchTimes(slots.databaseFor(required), some, remembered, restOf);
      for (const [place, { resolve, reject }] of some.entries()) accrued[place]?.then(resolve, reject);
    } catch (error) {
      const isForAll = some.length === 1 || (error instanceof LeaseLost && required.length === 1);
      if (isForAll) for (const { reject } of some) reject(error);
      else {
        log.warn({ err: error, readings: some.length }, 'readings not credited together');
        for (const one of some) await credit([one]);
      }
    }
  };

  const begin = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const some = waiting;
    waiting = [];
    listed = 0;
    if (some.length > 0) void credit(some);
  };

  return {
    /** Credits a reading of a channel of which no other one is under way. */
    credit: (reading: ChattersReading, nowMs: number, lease: Lease): Promise<Accrued> =>
      new Promise((resolve, reject) => {
        const { size } = reading.twitchIds;
        if (listed + size > maxListed) begin();
        waiting.push({ reading, nowMs, lease, resolve, reject });
        listed += size;
        if (!areMany || waiting.length >= together || listed >= maxListed) begin();
        else timer ??= setTimeout(begin, WAIT_MS);
      }),
    /** From now on no reading waits for others. */
    hurry(): void {
      areMany = false;
      begin();
    },
    /** Forgets all other channels, which are no longer live. */
    limitTo(channelIds: ReadonlySet<string>): void {
      areMany = together > 1 && channelIds.size > together;
      for (const channelId of remembered.keys()) if (!channelIds.has(channelId)) remembered.delete(channelId);
    },
  };
}
