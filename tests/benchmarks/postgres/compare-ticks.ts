import type pg from 'pg';
import { type Database, openPostgres } from '#db/database.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { minute } from '#domain/kernel/time.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { crowdOf, placePresent, promising } from '#tests/benchmarks/crowd.ts';
import { compare, costOf } from '#tests/benchmarks/measure.ts';
import { connect, makeDatabases, preparing } from '#tests/benchmarks/postgres/databases.ts';
import { type Call, recordEach, replayer } from '#tests/benchmarks/postgres/replay.ts';
import type { BenchOptions } from '#tests/benchmarks/store.ts';
import { addBot, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const CHANNELS = 40;
const CHATTERS = 500;
/** First the code is compiled. */
const WARM_UPS = 8;
const ROUNDS = 15;
const WATCH_MINUTES = 600;
/** In each minute, one viewer of this many channels meets a rule. */
const PROMISES = 4;

interface LiveChannel {
  id: string;
  twitchIds: string[];
  /** The present viewers, in the form in which the bot keeps them. */
  present: ReadonlySet<string>;
}

/** One minute's tick of live channels, compared with the same statements raw, in one transaction per channel. */
export async function compareTicks(serverUrl: string, options: BenchOptions) {
  await using databases = await makeDatabases(serverUrl, options);
  const channels = await preparing(databases.url, goLive);
  const preparation = await connect(databases.url);
  await registerHalf(preparation, channels);
  await preparation.end();
  await preparing(databases.url, (db) => tick(db, channels, 1));
  const [recordedUrl, replayedUrl] = [await databases.copy(), await databases.copy()];
  const recordings = await recordRounds(recordedUrl, channels);

  const db = await openPostgres(databases.url, 1);
  const [beside, raw] = [await connect(databases.url), await connect(replayedUrl)];
  const replay = replayer(raw);
  const findings = await compare({
    rounds: ROUNDS,
    warmUps: WARM_UPS,
    before: async (round) => {
      for (const store of [beside, raw]) await bringToThreshold(store, channels, round);
    },
    subject: (round) => promising(db, PROMISES, () => tick(db, channels, round + 2)),
    reference: (round) => costOf(() => replay(recordings[round] ?? [])),
  });
  const promised = await Promise.all([beside, raw].map(countPromised));
  await Promise.all([raw.end(), beside.end(), db.close()]);
  if (promised[0] !== promised[1]) throw new Error(`replayed ${promised[1]} promises of ${promised[0]}`);
  return { ...findings, statements: Math.round((recordings[0]?.length ?? 0) / CHANNELS) };
}

async function recordRounds(url: string, channels: readonly LiveChannel[]): Promise<Call[][]> {
  const beside = await connect(url);
  const recordings = await preparing(url, async (db) => {
    const rounds: Call[][] = [];
    for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
      await bringToThreshold(beside, channels, round);
      rounds.push(...(await recordEach([() => tick(db, channels, round + 2)])));
    }
    return rounds;
  });
  await beside.end();
  return recordings;
}

async function tick(db: Database, channels: readonly LiveChannel[], round: number): Promise<void> {
  for (const { id, present } of channels) {
    const reading = { channelId: id, streamId: 's1', twitchIds: present };
    await accrueWatchTime(db, reading, START_MS + round * minute);
  }
}

async function goLive(db: Database): Promise<LiveChannel[]> {
  for (let bot = 0; bot < 4; bot++) await addBot(db);
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

/** Every second chatter has an account. */
async function registerHalf(client: pg.Client, channels: readonly LiveChannel[]): Promise<void> {
  const registered = channels.flatMap(({ twitchIds }) => twitchIds.filter((_, place) => place % 2 === 0));
  await client.query(
    `insert into users (id, name, email, email_verified_at_ms, created_at_ms)
     select 'user-' || id, 'Demo', id || '@example.org', 1, 1 from unnest($1::text[]) as ids(id)`,
    [registered],
  );
  await client.query(
    `insert into twitch_accounts (twitch_id, user_id, login, display_name, access_token_sealed, refresh_token_sealed,
       scopes, token_obtained_at_ms, token_lifetime_seconds, linked_at_ms)
     select id, 'user-' || id, 'demo', 'Demo', '', '', '[]', 1, 1, 1 from unnest($1::text[]) as ids(id)`,
    [registered],
  );
}

/** Before each round, another registered viewer of every tenth channel is one second short of its first rule. */
async function bringToThreshold(client: pg.Client, channels: readonly LiveChannel[], round: number) {
  const seconds = WATCH_MINUTES * 60;
  for (const [index, { id, twitchIds }] of channels.entries())
    if (index % (CHANNELS / PROMISES) === 0)
      await client.query(placePresent('$1::bigint', '$2::bigint', '$3', '$4'), [
        seconds - 1,
        seconds,
        id,
        twitchIds[2 * round],
      ]);
}

async function countPromised(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select count(*)::int as n from rewards where state = 'promised'");
  return rows[0].n;
}
