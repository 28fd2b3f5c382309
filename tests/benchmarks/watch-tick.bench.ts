// One tick of a channel with 100,000 registered chatters and 20 rules: the upsert, the evaluation of viewers who
// crossed a threshold, and 500 promises, in one transaction. Reference: the raw upsert of the same pairs with
// better-sqlite3 into a table with the same key in the same file, in one transaction. Both FULL.
import { rmSync } from 'node:fs';
import { openSqlite } from '#db/database.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { minute } from '#domain/kernel/time.ts';
import type { Remembered } from '#domain/watch-time/present-viewers.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import {
  FIRST_OF_CROWD,
  placePresent,
  promising,
  rawUpsert,
  registerCrowd,
} from '#tests/benchmarks/crowd.ts';
import { compare, costOf } from '#tests/benchmarks/measure.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { addBot, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const CHATTERS = 100_000;
const RULES = 20;
const CROSSING_PER_TICK = 500;
const ROUNDS = 9;
const SECONDS = 60;
/** Rules require 10 hours, 20 hours, and so on. */
const thresholdMinutes = (rule: number) => 600 * (rule + 1);

export async function run(options: BenchOptions) {
  const { file, folder } = await makeBenchFile(options);
  const db = await openSqlite(file);
  const raw = new BetterSqlite(file);
  raw.pragma('synchronous = FULL');
  const streamer = await addStreamer(db);
  for (let bot = 0; bot < 12; bot++) await addBot(db);
  const twitchIds = Array.from({ length: CHATTERS }, (_, place) => String(FIRST_OF_CROWD + place));
  registerCrowd(raw, twitchIds);
  for (let rule = 0; rule < RULES; rule++) {
    const rewardsOfRule = (CROSSING_PER_TICK / RULES) * (ROUNDS + 1);
    await addRule(db, streamer, {
      rewards: rewardsOfRule,
      watchMinutes: thresholdMinutes(rule),
      name: `Demo rule ${rule}`,
    });
  }
  // The bot keeps the present viewers in this form.
  const present = new Set(twitchIds);
  const { streamId } = await goLive(db, streamer.twitchId);
  const remembered: Remembered = new Map();
  const tick = (round: number) =>
    accrueWatchTime(
      db,
      { channelId: streamer.twitchId, streamId, twitchIds: present },
      START_MS + round * minute,
      remembered,
    );
  await tick(1);
  const reference = rawUpsert(raw);
  reference(streamer.twitchId, twitchIds, SECONDS);

  const findings = await compare({
    rounds: ROUNDS,
    before: (round) => bringToThresholds(raw, streamer.twitchId, twitchIds, round),
    subject: (round) => promising(db, CROSSING_PER_TICK, () => tick(round + 2)),
    reference: () => costOf(() => reference(streamer.twitchId, twitchIds, SECONDS)),
  });
  raw.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  return { ...findings, promised: CROSSING_PER_TICK };
}

type Store = Awaited<ReturnType<typeof openSqlite>>;

async function goLive(db: Store, channelId: string) {
  const stream = { streamId: 's1', startedAtMs: START_MS, gameName: 'Demo game', title: 'Demo' };
  await recordStream(db, { channelId, stream }, START_MS);
  return stream;
}

/**
 * Before each round, 25 other viewers per rule are one second short of its threshold, and have already been served by
 * the rules with lower thresholds.
 */
function bringToThresholds(
  raw: BetterSqlite.Database,
  channelId: string,
  twitchIds: string[],
  round: number,
) {
  const perRule = CROSSING_PER_TICK / RULES;
  const ruleIds = raw
    .prepare('select id from rules where channel_id = ? order by watch_minutes')
    .pluck()
    .all(channelId) as string[];
  const place = raw.prepare(placePresent('?1', '?2', '?3', '?4'));
  const serve = raw.prepare('insert into qualifications values (?, ?, 1, ?, 1)');
  raw.transaction(() => {
    for (let rule = 0; rule < RULES; rule++)
      for (let viewer = 0; viewer < perRule; viewer++) {
        const id = twitchIds[(round * RULES + rule) * perRule + viewer];
        const threshold = thresholdMinutes(rule) * 60;
        place.run({ 1: threshold - 1, 2: threshold, 3: channelId, 4: id });
        for (const served of ruleIds.slice(0, rule)) serve.run(served, id, 'tie');
      }
  })();
}
