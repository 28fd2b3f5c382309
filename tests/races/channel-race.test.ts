import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { second } from '#domain/kernel/time.ts';
import { endWorkers, makeRaceStore, type RaceStore, stores } from '#tests/races/race-store.ts';
import type { Deed, Guard } from '#tests/races/race-worker.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';

// SQLite has one writer, so only PostgreSQL can show what the channel's lock is for.
const isThere = stores.some((kind) => kind === 'PostgreSQL');

let store: RaceStore;
let looker: Client;
let holder: Client;
let channelId: string;

beforeAll(async () => {
  if (!isThere) return;
  store = await makeRaceStore('PostgreSQL', { viewers: 1, rewards: 1 });
  const { default: pg } = await import('pg');
  const connect = async () => {
    const client = new pg.Client({ connectionString: store.databaseUrl });
    await client.connect();
    return client;
  };
  [looker, holder] = [await connect(), await connect()];
  channelId = (await looker.query('select id from channels')).rows[0].id;
}, 60_000);

afterAll(async () => {
  if (!isThere) return;
  await Promise.all([looker.end(), holder.end()]);
  await store[Symbol.asyncDispose]();
  await endWorkers();
});

/** Counts this database's sessions that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await looker.query(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0].n;
}

/**
 * Stops one process where it writes the channel's row, starts the other's action, which goes as far as it
 * can, and then resumes both.
 */
async function interleave(guard: Guard, first: Deed, second: Deed): Promise<void> {
  await holder.query('begin');
  await holder.query('select 1 from channels where id = $1 for no key update', [channelId]);
  const firstDone = store.write(0, guard, first);
  await expect.poll(waiting, { timeout: PATIENCE_MS }).toBe(1);
  let isSecondDone = false;
  const secondDone = store.write(1, guard, second).then(() => {
    isSecondDone = true;
  });
  await expect.poll(async () => isSecondDone || (await waiting()) === 2, { timeout: PATIENCE_MS }).toBe(true);
  await holder.query('commit');
  await Promise.all([firstDone, secondDone]);
}

const idsIn = async (table: 'follows' | 'subscribers'): Promise<string[]> =>
  (await looker.query(`select twitch_id from ${table} order by twitch_id`)).rows.map((row) => row.twitch_id);

describe.skipIf(!isThere)('Two processes that write to one channel at the same time', () => {
  for (const guard of ['guarded', 'unlocked'] as const) {
    const locked = guard === 'guarded';
    const not = locked ? '' : 'not, without the channel’s lock, ';
    const title = (what: string) => what.replace('{not}', not);

    test(
      title('do {not}let a subscription end that a complete list, being written, still holds'),
      async () => {
        const nowMs = store.nowMs;
        const [stays, ends] = [
          { twitchId: '7001', tier: 1 },
          { twitchId: '7002', tier: 1 },
        ] as const;
        await looker.query('delete from subscribers');
        await interleave(
          guard,
          {
            write: 'recordSubscribers',
            input: { channelId, subscribers: [stays, ends], readAtMs: nowMs },
            nowMs,
          },
          { write: 'receiveSubscriber', input: { channelId, ...ends, ended: true }, nowMs },
        );
        expect(await idsIn('subscribers')).toEqual(locked ? ['7001'] : ['7001', '7002']);
      },
    );

    test(
      title('do {not}count a stream’s time once when it comes back while a reading is counted'),
      async () => {
        const atMs = (seconds: number) => store.nowMs + seconds * second;
        const twitchId = '7003';
        await looker.query('delete from watch_times where twitch_id = $1', [twitchId]);
        await looker.query(
          "update channels set live = false, stream_id = 's1', stream_started_at_ms = $2, watched_until_ms = $2, went_offline_at_ms = $3 where id = $1",
          [channelId, atMs(0), atMs(60)],
        );
        const reading = { channelId, streamId: 's1', twitchIds: [twitchId] };
        const stream = { streamId: 's1', startedAtMs: atMs(0), gameName: '', title: '' };
        await interleave(
          guard,
          { write: 'accrueWatchTime', input: reading, nowMs: atMs(90) },
          { write: 'recordStream', input: { channelId, stream }, nowMs: atMs(90) },
        );
        await store.write(0, guard, { write: 'accrueWatchTime', input: reading, nowMs: atMs(120) });
        const { rows } = await looker.query(
          'select seconds + coalesce(counted - since, 0) as seconds from watch_times inner join channels on channels.id = channel_id where twitch_id = $1',
          [twitchId],
        );
        expect(Number(rows[0].seconds)).toBe(locked ? 120 : 180);
      },
    );
  }
});
