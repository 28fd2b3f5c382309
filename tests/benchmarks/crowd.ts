import type BetterSqlite from 'better-sqlite3';
import { count } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { type Cost, costOf } from '#tests/benchmarks/measure.ts';

/** The first Twitch id of a crowd, above all others in a database. */
export const FIRST_OF_CROWD = 20_000_000;

/** Twitch ids of a crowd, in random order. */
export const crowdOf = (count: number): string[] =>
  Array.from({ length: count }, (_, place) => String(FIRST_OF_CROWD + ((place * 7919) % count)));

/** Adds each of them as a verified user with a linked Twitch account, by inserting rows in bulk. */
export function registerCrowd(raw: BetterSqlite.Database, twitchIds: readonly string[]): void {
  const user = raw.prepare(
    `insert into users (id, name, email, email_verified_at_ms, created_at_ms) values (?, 'Demo', ?, 1, 1)`,
  );
  const twitch = raw.prepare(
    `insert into twitch_accounts (twitch_id, user_id, login, display_name, access_token_sealed, refresh_token_sealed,
       scopes, token_obtained_at_ms, token_lifetime_seconds, linked_at_ms)
     values (?, ?, 'demo', 'Demo', '', '', '[]', 1, 1, 1)`,
  );
  raw.transaction(() => {
    for (const id of twitchIds) {
      user.run(`user-${id}`, `${id}@example.org`);
      twitch.run(id, `user-${id}`);
    }
  })();
}

/** The reference for a tick or a sweep: the same pairs in one plain upsert into a table with the same key. */
export function rawUpsert(raw: BetterSqlite.Database) {
  raw.exec(
    'create table reference (channel text, viewer text, seconds integer, primary key (channel, viewer)) strict',
  );
  const upsert = raw.prepare(
    `insert into reference select ?, value->>0, value->>1 from json_each(?) where true
     on conflict (channel, viewer) do update set seconds = seconds + excluded.seconds`,
  );
  const write = raw.transaction((channelId: string, pairs: string) => upsert.run(channelId, pairs));
  return (channelId: string, twitchIds: readonly string[], seconds: number): void => {
    write(channelId, JSON.stringify(twitchIds.map((id) => [id, seconds])));
  };
}

/** SQL that sets the total and the next check of somebody present on a channel, with these parameters. */
export function placePresent(
  seconds: string,
  nextCheck: string,
  channelId: string,
  twitchId: string,
): string {
  const counted = '(select counted from channels where channels.id = watch_times.channel_id)';
  return `update watch_times set seconds = ${seconds}, next_check_seconds = ${nextCheck}, since = ${counted},
      cross_at = ${counted} - ${seconds} + ${nextCheck} where channel_id = ${channelId} and twitch_id = ${twitchId}`;
}

/** The cost of work that must promise this many rewards. */
export async function promising(db: Database, expected: number, work: () => Promise<unknown>): Promise<Cost> {
  const before = await countPromised(db);
  const cost = await costOf(work);
  const promised = (await countPromised(db)) - before;
  if (promised !== expected) throw new Error(`${promised} promises instead of ${expected}`);
  return cost;
}

async function countPromised(db: Database): Promise<number> {
  const [row] = await db.read.select({ n: count() }).from(rewards).where(is(rewards.state, 'promised'));
  return Number(row?.n ?? 0);
}
