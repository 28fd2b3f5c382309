// One minute's tick of 200 live channels with 500 chatters each, every channel in its own transaction. Half of the
// chatters are registered, each channel has two watch time rules, and in each minute one viewer of every tenth channel
// meets a rule and is promised a reward. Reference: the raw upsert of the same rows with better-sqlite3 into a table
// with the same key in the same file, in the same 200 transactions. Both FULL.
import { rmSync } from 'node:fs';
import { type Database, openSqlite } from '#db/database.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { minute } from '#domain/kernel/time.ts';
import type { Remembered } from '#domain/watch-time/present-viewers.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { crowdOf, placePresent, promising, rawUpsert, registerCrowd } from '#tests/benchmarks/crowd.ts';
import { compare, costOf } from '#tests/benchmarks/measure.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { addBot, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const CHANNELS = 200;
const CHATTERS = 500;
const ROUNDS = 21;
/** Twenty promises a round: only after this many of them the code of a promise is compiled. A bot runs for months. */
const WARM_UPS = 8;
const SECONDS = 60;
const WATCH_MINUTES = 600;
/** In each minute, one viewer of this many channels meets a rule. */
const PROMISES = 20;

interface LiveChannel {
  id: string;
  twitchIds: string[];
  /** The present viewers, in the form in which the bot keeps them. */
  present: ReadonlySet<string>;
}

export async function run(options: BenchOptions) {
  const { file, folder } = await makeBenchFile(options);
  const db = await openSqlite(file);
  const raw = new BetterSqlite(file);
  raw.pragma('synchronous = FULL');
  for (let bot = 0; bot < 8; bot++) await addBot(db);
  const channels = await goLive(db);
  registerCrowd(
    raw,
    channels.flatMap(({ twitchIds }) => twitchIds.filter((_, place) => place % 2 === 0)),
  );
  const remembered: Remembered = new Map();
  const tick = async (round: number) => {
    for (const { id, present } of channels) {
      const reading = { channelId: id, streamId: 's1', twitchIds: present };
      await accrueWatchTime(db, reading, START_MS + round * minute, remembered);
    }
  };
  await tick(1);
  const upsert = rawUpsert(raw);
  const reference = () => {
    for (const { id, twitchIds } of channels) upsert(id, twitchIds, SECONDS);
  };
  reference();

  const findings = await compare({
    rounds: ROUNDS,
    warmUps: WARM_UPS,
    before: (round) => bringToThreshold(raw, channels, round),
    subject: (round) => promising(db, PROMISES, () => tick(round + 2)),
    reference: () => costOf(reference),
  });
  raw.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  return { ...findings, promised: PROMISES };
}

async function goLive(db: Database): Promise<LiveChannel[]> {
  const crowd = crowdOf(CHANNELS * CHATTERS);
  const stream = { streamId: 's1', startedAtMs: START_MS, gameName: 'Demo game', title: 'Demo' };
  const channels: LiveChannel[] = [];
  for (let place = 0; place < CHANNELS; place++) {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { watchMinutes: WATCH_MINUTES, rewards: WARM_UPS + ROUNDS });
    await addRule(db, streamer, { watchMinutes: 2 * WATCH_MINUTES, watchScope: 'allTime', rewards: 0 });
    await recordStream(db, { channelId: streamer.twitchId, stream }, START_MS);
    const twitchIds = crowd.slice(place * CHATTERS, (place + 1) * CHATTERS);
    channels.push({ id: streamer.twitchId, twitchIds, present: new Set(twitchIds) });
  }
  return channels;
}

/** Before each round, another registered viewer of every tenth channel is one second short of its first rule. */
function bringToThreshold(raw: BetterSqlite.Database, channels: readonly LiveChannel[], round: number) {
  const place = raw.prepare(placePresent('?1', '?2', '?3', '?4'));
  const seconds = WATCH_MINUTES * 60;
  raw.transaction(() => {
    for (const [index, { id, twitchIds }] of channels.entries())
      if (index % (CHANNELS / PROMISES) === 0)
        place.run({ 1: seconds - 1, 2: seconds, 3: id, 4: twitchIds[2 * round] });
  })();
}
