// The way before intervals, as SQL: every reading adds its interval to the row of each present chatter. Its tables lie
// beside the product's, with the keys and indexes that these had; of what it evaluates only the watch time is looked at.

/** Runs a prepared statement with values for its numbered parameters. */
export type Ask = (text: string, ...values: unknown[]) => Promise<Record<string, unknown>[]>;

export interface Dialect {
  /** A table with one column `value` from a JSON array of strings. */
  list(parameter: string): string;
  /** The name of 53-bit integers. */
  int: string;
  /** Takes the lock of a channel, if there is one. */
  lock: string | null;
}

export const makeTables = (int: string): string[] => [
  `create table minute_watch_times (channel_id text not null, twitch_id text not null, seconds ${int} not null,
     next_check_seconds ${int} not null, rolled_seconds ${int} not null default 0, counted_until_ms ${int},
     primary key (channel_id, twitch_id))`,
  'create index minute_due on minute_watch_times (channel_id) where seconds >= next_check_seconds',
  'create index minute_viewer on minute_watch_times (twitch_id)',
  `create table minute_qualifications (rule_id text not null, twitch_id text not null, qualified_at_ms ${int} not null,
     primary key (rule_id, twitch_id))`,
  'create index minute_qualified on minute_qualifications (twitch_id)',
];

const reached =
  "r.watch_minutes * 60 + case when r.watch_scope = 'sinceRule' then coalesce(b.seconds, 0) else 0 end";
const live = "r.state in ('open', 'paused') and r.watch_minutes is not null";
const never = 2 ** 52;

/** Credits a reading; call it in a transaction. Parameters are `$1`, and so on. */
export async function creditMinute(
  ask: Ask,
  { list, int, lock }: Dialect,
  { channelId, twitchIds, untilMs }: { channelId: string; twitchIds: string; untilMs: number },
): Promise<void> {
  const at = (place: number) => `cast($${place} as ${int})`;
  if (lock) await ask(lock, channelId);
  const [cursor] = await ask(
    `select c.live, c.stream_id, c.watched_until_ms, c.rolled_up_to_ms, c.open_live_seconds,
       (select min(r.watch_minutes * 60) from rules r where r.channel_id = c.id and ${live}) as first_check,
       exists (select 1 from rules r where r.channel_id = c.id and r.state in ('open', 'paused') and r.attended_streams is not null) as counts_streams,
       exists (select 1 from rules r where r.channel_id = c.id and r.pause_reason = 'opening') as opening
     from minute_channels c where c.id = $1`,
    channelId,
  );
  const seconds = (untilMs - Number(cursor?.watched_until_ms)) / 1000;
  await ask(
    `update minute_channels set watched_until_ms = ${at(2)}, looked_until_ms = ${at(2)}, looked_people = ${at(4)}, looked_bots = 0,
       open_watch_seconds = open_watch_seconds + ${at(3)} * ${at(4)}, open_live_seconds = open_live_seconds + ${at(3)} where id = $1`,
    ...[channelId, untilMs, seconds, 500],
  );
  await ask(
    `insert into minute_watch_times select cast($1 as text), present.value, ${at(3)}, ${at(4)}, 0, ${at(5)} from ${list('$2')} as present where true
     on conflict (channel_id, twitch_id) do update set seconds = minute_watch_times.seconds + excluded.seconds, counted_until_ms = excluded.counted_until_ms`,
    ...[channelId, twitchIds, seconds, cursor?.first_check, untilMs],
  );
  const isDue = 'w.channel_id = $1 and w.seconds >= w.next_check_seconds';
  const due = await ask(`select 1 as one from minute_watch_times w where ${isDue} limit 2001`, channelId);
  if (due.length === 0) return;
  await ask(
    `insert into minute_qualifications select r.id, w.twitch_id, ${at(2)} from minute_watch_times w
       join twitch_accounts a on a.twitch_id = w.twitch_id join rules r on r.channel_id = w.channel_id and r.state = 'open'
       left join watch_baselines b on b.rule_id = r.id and b.twitch_id = w.twitch_id
     where ${isDue} and w.seconds >= ${reached} on conflict do nothing`,
    ...[channelId, untilMs],
  );
  await ask(
    `update minute_watch_times as w set next_check_seconds = coalesce((select min(${reached}) from rules r
       left join watch_baselines b on b.rule_id = r.id and b.twitch_id = w.twitch_id
       where r.channel_id = w.channel_id and ${live} and ${reached} > w.seconds), ${never}) where ${isDue}`,
    channelId,
  );
}
