import type { BotDeps } from '#bot/deps.ts';
import { perTransaction } from '#db/dialect.ts';
import { type Accrued, accrueWatchTime, accrueWatchTimes } from '#domain/audience/accrue-watch-time.ts';
import type { ChattersReading, TimedReading } from '#domain/audience/take-intervals.ts';
import { second } from '#domain/kernel/time.ts';
import type { Remembered } from '#domain/watch-time/present-viewers.ts';

/** Maximum number of readings that are credited in one transaction. */
const MAX_TOGETHER = perTransaction(100);
/** While there are more live channels than that, a reading waits this long for others. */
const WAIT_MS = second;

interface Waiting extends TimedReading {
  resolve(accrued: Accrued): void;
  reject(error: unknown): void;
}

/** Credits readings, those of many channels together, and remembers who is present for the next ones. */
export function gatherReadings({ db, log }: Pick<BotDeps, 'db' | 'log'>, together = MAX_TOGETHER) {
  const remembered: Remembered = new Map();
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let areMany = false;

  const creditOne = ({ reading, nowMs, resolve, reject }: Waiting): Promise<void> =>
    accrueWatchTime(db, reading, nowMs, remembered).then(resolve, reject);

  /** If they cannot be credited together, the fault may be with one of them, and the others are. */
  const credit = async (some: readonly Waiting[]): Promise<void> => {
    const [only, ...others] = some;
    if (only && others.length === 0) return creditOne(only);
    try {
      const accrued = await accrueWatchTimes(db, some, remembered);
      for (const [place, { resolve }] of some.entries()) resolve(accrued[place] as Accrued);
    } catch (error) {
      log.warn({ err: error, readings: some.length }, 'readings not credited together');
      for (const one of some) await creditOne(one);
    }
  };

  const begin = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const some = waiting;
    waiting = [];
    if (some.length > 0) void credit(some);
  };

  return {
    /** Credits a reading of a channel of which no other one is under way. */
    credit: (reading: ChattersReading, nowMs: number): Promise<Accrued> =>
      new Promise((resolve, reject) => {
        waiting.push({ reading, nowMs, resolve, reject });
        if (!areMany || waiting.length >= together) begin();
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
