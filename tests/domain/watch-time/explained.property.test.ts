import { and, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { viewerGapReasons, viewerGaps, watchGapReasons, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 4 : 40));
const seed = Number(process.env.PROPERTY_SEED ?? 20_260_105);

const VIEWERS = 3;
/** The end of the day falls into the first readings. */
const BEGIN_MS = START_MS + 11 * hour + 55 * minute;

/** One look at the chat: the time since the last one, everybody's part in it, and the trouble before it, if any. */
const look = fc.record({
  passMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 55 * second, max: 66 * second }) },
    { weight: 2, arbitrary: fc.constantFrom(0, 999, 1000, 149_999, 150_000, 151_000, 400_000) },
  ),
  parts: fc.array(fc.constantFrom('absent', 'counted', 'counted', ...viewerGapReasons), {
    minLength: VIEWERS,
    maxLength: VIEWERS,
  }),
  trouble: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...watchGapReasons) },
  ),
});

interface Span {
  fromMs: number;
  untilMs: number;
}
const secondsOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { fromMs, untilMs }) => sum + Math.max(0, untilMs - fromMs), 0) / second;
const overlaps = (some: readonly Span[], others: readonly Span[]): Span[] =>
  some.flatMap((one) =>
    others.map((other) => ({
      fromMs: Math.max(one.fromMs, other.fromMs),
      untilMs: Math.min(one.untilMs, other.untilMs),
    })),
  );

/** Returns the seconds that counted for a viewer, and those that a stored reason explains. */
async function accountFor(db: TestDatabase, channelId: string, twitchId: string, present: readonly Span[]) {
  const of = { channelId, twitchId };
  const [counted] = await watchedRows(
    db.read,
    and(eq(watchTimes.channelId, of.channelId), eq(watchTimes.twitchId, of.twitchId)),
  );
  const own = await db.read.select().from(viewerGaps).where(eq(viewerGaps.twitchId, twitchId));
  const ofChannel = await db.read.select().from(watchGaps).where(eq(watchGaps.channelId, channelId));
  return {
    counted: counted?.seconds ?? 0,
    explained: secondsOf(own) + secondsOf(overlaps(present, ofChannel)),
  };
}

test('Every second in the chat of a live channel either counted for a viewer or has a reason', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(look, { minLength: 1, maxLength: 25 }), async (looks) => {
      await using db = await openTestDatabase();
      const { twitchId: channelId } = await addStreamer(db);
      const viewers: string[] = [];
      for (let n = 0; n < VIEWERS; n += 1) viewers.push((await addPerson(db)).twitchId);
      await goLive(db, channelId, BEGIN_MS);
      const present = viewers.map((): Span[] => []);
      let [nowMs, fromMs] = [BEGIN_MS, BEGIN_MS];
      for (const { passMs, parts, trouble } of looks) {
        nowMs += passMs;
        const those = (part: string) => viewers.filter((_, place) => parts[place] === part);
        const uncounted = Object.fromEntries(viewerGapReasons.map((reason) => [reason, those(reason)]));
        await readChatters(db, channelId, those('counted'), nowMs, {
          uncounted,
          ...(trouble && { gapReason: trouble }),
        });
        const untilMs = nowMs - ((nowMs - fromMs) % second);
        for (const [place, part] of parts.entries())
          if (part !== 'absent') present[place]!.push({ fromMs, untilMs });
        fromMs = untilMs;
      }
      for (const [place, twitchId] of viewers.entries()) {
        const { counted, explained } = await accountFor(db, channelId, twitchId, present[place]!);
        expect(counted + explained).toBe(secondsOf(present[place]!));
      }
    }),
    { numRuns: runs, seed },
  );
});
