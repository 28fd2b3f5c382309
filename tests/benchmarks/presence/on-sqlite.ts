// Prints the CPU time of a minute of one large channel by intervals over that by a row for each chatter, in one file.
import { rmSync } from 'node:fs';
import { openSqlite } from '#db/database.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { minute } from '#domain/kernel/time.ts';
import type { Remembered } from '#domain/watch-time/present-viewers.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { registerCrowd } from '#tests/benchmarks/crowd.ts';
import { compare, costOf } from '#tests/benchmarks/measure.ts';
import {
  changingChat,
  firstViewer,
  ONE_REGISTERED_IN,
  RULE_SECONDS,
  secondsOf,
} from '#tests/benchmarks/presence/changing-chat.ts';
import { type Ask, creditMinute, makeTables } from '#tests/benchmarks/presence/row-a-minute.ts';
import { makeBenchFile } from '#tests/benchmarks/store.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const shape = { channels: 1, known: 120_000, present: 100_000, rules: 20 };
const ROUNDS = 9;
const dialect = { list: (parameter: string) => `json_each(${parameter})`, int: 'integer', lock: null };

const { file, folder } = await makeBenchFile({ history: false });
const db = await openSqlite(file);
const streamer = await addStreamer(db);
const channelId = streamer.twitchId;
for (let rule = 1; rule <= shape.rules; rule++)
  await addRule(db, streamer, {
    watchMinutes: (rule * RULE_SECONDS) / 60,
    watchScope: 'allTime',
    rewards: 0,
  });
await recordStream(
  db,
  { channelId, stream: { streamId: 's1', startedAtMs: START_MS, gameName: '', title: '' } },
  START_MS,
);

const raw = new BetterSqlite(file);
raw.pragma('synchronous = FULL');
const known = Array.from({ length: shape.known }, (_, place) => String(firstViewer(0, shape) + place));
registerCrowd(
  raw,
  known.filter((_, place) => place % ONE_REGISTERED_IN === 0),
);
for (const table of makeTables('integer')) raw.exec(table);
raw.exec('create table minute_channels as select * from channels');
raw.exec('create unique index minute_channel on minute_channels (id)');
const add = raw.prepare(
  'insert into watch_times (channel_id, twitch_id, seconds, next_check_seconds) values (?, ?, ?, ?)',
);
raw.transaction(() => {
  for (const [place, id] of known.entries()) {
    const seconds = secondsOf(place, shape);
    add.run(channelId, id, seconds, (Math.floor(seconds / RULE_SECONDS) + 1) * RULE_SECONDS);
  }
  raw.exec(
    'insert into minute_watch_times select channel_id, twitch_id, seconds, next_check_seconds, 0, null from watch_times',
  );
})();

const prepared = new Map<string, BetterSqlite.Statement>();
const ask: Ask = async (text, ...values) => {
  const statement = prepared.get(text) ?? raw.prepare(text.replaceAll('$', '?'));
  prepared.set(text, statement);
  const bound = Object.fromEntries(values.map((value, place) => [place + 1, value]));
  if (statement.reader) return statement.all(bound) as Record<string, unknown>[];
  statement.run(bound);
  return [];
};

const chat = changingChat(0, shape);
const remembered: Remembered = new Map();
const nowMs = (round: number) => START_MS + (round + 1) * minute;
const findings = await compare({
  rounds: ROUNDS,
  // In the first minute everybody comes.
  warmUps: 2,
  before: () => chat.minute(),
  subject: (round) => {
    const twitchIds = new Set(chat.here);
    return costOf(() =>
      accrueWatchTime(db, { channelId, streamId: 's1', twitchIds }, nowMs(round), remembered),
    );
  },
  reference: (round) =>
    costOf(async () => {
      raw.exec('begin immediate');
      const twitchIds = JSON.stringify(chat.here);
      await creditMinute(ask, dialect, { channelId, twitchIds, untilMs: nowMs(round) });
      raw.exec('commit');
    }),
});
const differing = raw
  .prepare(
    `select count(*) from minute_watch_times m join channels c on c.id = m.channel_id left join watch_times w
       on w.channel_id = m.channel_id and w.twitch_id = m.twitch_id
     where w.twitch_id is null or m.seconds <> w.seconds + coalesce(c.counted - w.since, 0)`,
  )
  .pluck()
  .get();
raw.close();
await db.close();
rmSync(folder, { recursive: true, force: true });
if (differing !== 0) throw new Error(`${differing} totals differ`);
console.log(JSON.stringify(findings));
