import type { Database } from '#db/database.ts';
import { viewerGapReasons } from '#db/schema/channel.ts';
import {
  type ChattersReading,
  type Interval,
  isInterval,
  type Taken,
  type TimedReading,
  takeIntervals,
} from '#domain/audience/take-intervals.ts';
import { addToDay } from '#domain/channel/count-day.ts';
import { countAttendance } from '#domain/condition/attendance.ts';
import { type ChannelTx, channelLock, lockChannels } from '#domain/kernel/locks.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { type Clock, evaluateDue, evaluateManyDue, passOverDue } from '#domain/rule/evaluate-due.ts';
import { finishOpening } from '#domain/rule/open-rule.ts';
import type { Qualified } from '#domain/rule/qualify.ts';
import { addAbsent, type Remembered, writeChanges } from '#domain/watch-time/present-viewers.ts';
import { endGapsAhead, recordGap } from '#domain/watch-time/record-gap.ts';
import { listRegistered, recordViewerGaps } from '#domain/watch-time/record-viewer-gaps.ts';
import { openFirstDay, rollUp } from '#domain/watch-time/roll-up.ts';

export interface Accrued {
  /** Seconds credited to each viewer; 0 if the interval did not count or was already counted. */
  seconds: number;
  qualified: number;
}

/** Like `accrueWatchTimes` for one reading, whose viewers are evaluated in the same transaction. */
export async function accrueWatchTime(
  db: Database,
  reading: ChattersReading,
  nowMs: number,
  remembered?: Remembered,
): Promise<Accrued> {
  const [accrued] = await accrueWatchTimes(db, [{ reading, nowMs }], remembered);
  return accrued as Promise<Accrued>;
}

/** The number of channels of one call whose work after the commit is done at once. */
const LANES = 4;

/**
 * Credits the interval since the last reading to every listed viewer of each of these channels, in one transaction: a
 * channel's clock goes on, which is time watched by all who are present, so only who came and who left is written. Then
 * it evaluates viewers who passed a threshold and promises rewards; with many channels, or much to do, in transactions
 * of their own. The cursors move by a guarded update, so two processes that read at once count an interval once. An
 * interval is cut at midnight UTC, and the day is rolled up before the rest is credited. A rule that is being opened is
 * opened first: its viewers' watch time must not change until all their baselines are stored.
 *
 * Returns when the transaction is committed, with an answer for each reading that comes once its own channel is done. If
 * it throws, nothing is credited.
 *
 * @param remembered what this process remembers of those present, for its next readings
 * @param restOf the database for what follows the commit of a reading, which depends on no other one
 */
export async function accrueWatchTimes<T extends TimedReading>(
  db: Database,
  readings: readonly T[],
  remembered: Remembered = new Map(),
  restOf: (timed: T) => Database = () => db,
): Promise<Promise<Accrued>[]> {
  const steps = await accrue(db, readings, remembered);
  const lane = lanes(LANES);
  const begun = readings.map((timed, place) => ({ timed, step: steps[place] as Step, place }));
  const accrued: Promise<Accrued>[] = [];
  // Openings and roll-ups, which may take long, come last.
  for (const { timed, step, place } of begun.toSorted(
    (a, b) => Number(isDue(b.step)) - Number(isDue(a.step)),
  ))
    accrued[place] = finishReading(restOf(timed), timed, step, { lane, remembered });
  return accrued;
}

type Lane = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs work in the order in which it is given, some at once. */
function lanes(amount: number): Lane {
  const waiting: (() => Promise<unknown>)[] = [];
  let free = amount;
  const goOn = (): void => {
    const next = free > 0 ? waiting.shift() : undefined;
    if (!next) return;
    free -= 1;
    void next().finally(() => {
      free += 1;
      goOn();
    });
  };
  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push(() => work().then(resolve, reject));
      goOn();
    });
}

/** The results of a reading in one transaction. */
interface Step {
  seconds: number;
  /** The work that follows the commit. */
  rest: Qualified | Clock | 'evaluateMany' | 'finishOpening' | { rollUpUntilMs: number };
  /** True if the reading, or the part of its interval in the next day, is still to be credited. */
  isLeft: boolean;
}
const nobody: Qualified = { qualified: 0, left: [] };
const nothing: Step = { seconds: 0, rest: nobody, isLeft: false };

/** Returns whether viewers are still to be evaluated. */
const isDue = ({ rest }: Step): boolean => typeof rest === 'object' && 'counted' in rest;

/** Does the rest of a reading, and credits whatever is left of its interval. */
async function finishReading(
  db: Database,
  timed: TimedReading,
  first: Step,
  { lane, remembered }: { lane: Lane; remembered: Remembered },
): Promise<Accrued> {
  const accrued = { seconds: 0, qualified: 0 };
  for (let step = first; ; [step] = (await lane(() => accrue(db, [timed], remembered))) as [Step]) {
    const { seconds, rest, isLeft } = step;
    accrued.seconds += seconds;
    if (rest !== nobody) accrued.qualified += await lane(() => finish(db, timed, rest));
    if (!isLeft) return accrued;
  }
}

/** Does what had to wait for the commit. Returns the number of new qualifications. */
async function finish(db: Database, timed: TimedReading, rest: Step['rest']): Promise<number> {
  const { reading, nowMs } = timed;
  const { channelId } = reading;
  if (rest === 'finishOpening') await finishOpening(db, channelId, nowMs);
  else if (rest === 'evaluateMany') return evaluateManyDue(db, channelId, nowMs);
  else if ('counted' in rest) {
    const evaluated = await db.transaction((tx) => evaluateDue(tx, rest, nowMs), {
      lock: channelLock(channelId),
    });
    return finish(db, timed, evaluated === 'many' ? 'evaluateMany' : evaluated);
  } else if ('rollUpUntilMs' in rest) await rollUp(db, channelId, rest.rollUpUntilMs);
  else {
    await serveInRounds(db, channelId, rest.left, nowMs);
    return rest.qualified;
  }
  return 0;
}

async function accrue(db: Database, timed: readonly TimedReading[], remembered: Remembered): Promise<Step[]> {
  const channelIds = timed.map(({ reading }) => reading.channelId);
  const [only] = channelIds.length === 1 ? channelIds : [];
  const { steps, present } = await db.transaction(
    async (tx) => accrueIn(await lockChannels(tx, channelIds), timed, remembered),
    only === undefined ? {} : { lock: channelLock(only) },
  );
  for (const [channelId, known] of present) remembered.set(channelId, known);
  return steps;
}

async function accrueIn(
  tx: ChannelTx,
  timed: readonly TimedReading[],
  remembered: Remembered,
): Promise<{ steps: Step[]; present: Remembered }> {
  const taken = await takeIntervals(tx, timed);
  const intervals = taken.filter(isInterval);
  const counted = intervals.filter(({ seconds }) => seconds > 0);
  for (const interval of intervals) await recordUncredited(tx, interval);
  // Readers find the open day's sums through that day's row, so it has to exist.
  for (const { channel, dayMs } of counted)
    if (channel.openLiveSeconds === 0) await addToDay(tx, { channelId: channel.id, atMs: dayMs });
  for (const { channel, dayMs } of counted)
    if (channel.rolledUpToMs === null) await openFirstDay(tx, channel.id, dayMs);
  const present = await writeChanges(
    tx,
    counted.map(({ channel, twitchIds }) => ({ ...channel, channelId: channel.id, twitchIds })),
    remembered,
  );
  for (const { channel, twitchIds, seconds } of counted)
    if (channel.countsStreams)
      await countAttendance(tx, {
        channelId: channel.id,
        streamNumber: channel.streamNumber,
        twitchIds,
        seconds,
      });
  await recordUncounted(tx, counted);
  const evaluated = await evaluate(tx, counted);
  return { steps: taken.map((one) => stepOf(one, evaluated)), present };
}

function stepOf(taken: Taken, evaluated: ReadonlyMap<string, Step['rest']>): Step {
  if (taken === null) return nothing;
  if (taken === 'opening') return { ...nothing, rest: 'finishOpening', isLeft: true };
  if (!isInterval(taken)) return { ...nothing, rest: taken, isLeft: true };
  const { channel, seconds, isCut } = taken;
  return { seconds, rest: evaluated.get(channel.id) ?? nobody, isLeft: isCut };
}

/** Records that an interval does not count, and ends gaps that a clock ahead dated into the future. */
async function recordUncredited(tx: ChannelTx, interval: Interval): Promise<void> {
  const { channel, reading, nowMs, fromMs, untilMs, seconds, isPutBack } = interval;
  if (isPutBack) await endGapsAhead(tx, channel.id, nowMs);
  else if (fromMs !== null && seconds === 0)
    await recordGap(tx, { channelId: channel.id, fromMs, untilMs, reason: reading.gapReason ?? 'notPolled' });
}

/**
 * Evaluates the viewers of one channel who passed a threshold. Of many channels only those are passed over who can meet
 * no rule; the others are due until they were evaluated, whatever happens meanwhile.
 */
async function evaluate(tx: ChannelTx, counted: readonly Interval[]): Promise<Map<string, Step['rest']>> {
  const [one, ...others] = counted;
  if (!one) return new Map();
  if (others.length === 0) {
    const evaluated = await evaluateDue(tx, clockAfter(one), one.nowMs);
    return new Map([[one.channel.id, evaluated === 'many' ? 'evaluateMany' : evaluated]]);
  }
  const clocks = counted.map(clockAfter);
  const left = await passOverDue(tx, clocks);
  return new Map(clocks.flatMap((clock) => (left.has(clock.channelId) ? [[clock.channelId, clock]] : [])));
}

const clockAfter = ({ channel, seconds }: Interval): Clock => ({
  channelId: channel.id,
  counted: channel.counted + seconds,
});

/** Records viewers who earned nothing, so that their own page lists the channel's rules and says why. */
async function recordUncounted(tx: ChannelTx, counted: readonly Interval[]): Promise<void> {
  const all = counted.flatMap(({ reading }) => Object.values(reading.uncounted ?? {}).flat());
  if (all.length === 0) return;
  const registered = new Set(await listRegistered(tx, all));
  for (const { channel, reading, fromMs, untilMs } of counted) {
    const begun: string[] = [];
    for (const reason of viewerGapReasons) {
      const twitchIds = (reading.uncounted?.[reason] ?? []).filter((id) => registered.has(id));
      const gap = { channelId: channel.id, twitchIds, fromMs: fromMs as number, untilMs, reason };
      begun.push(...(await recordViewerGaps(tx, gap)));
    }
    if (begun.length > 0) await addAbsent(tx, channel.id, begun, channel.firstCheckSeconds);
  }
}
