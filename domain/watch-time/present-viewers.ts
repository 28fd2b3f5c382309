import { and, isNotNull, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { bigint, commaSeparated, isAmong, rowsOf } from '#db/dialect.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';

/**
 * Those present on channels as a process remembers them, by channel: their ids, joined, because a set of them takes
 * eight times as much room. It holds only while the channel has this version.
 */
export type Remembered = Map<string, { version: number; twitchIds: string }>;

/** A reading that counts, of a channel as it was before. */
export interface Look {
  channelId: string;
  /** The channel's clock and its version before the reading. */
  counted: number;
  version: number;
  /** The end of the last interval that counted before; null if there was none. */
  lookedUntilMs: number | null;
  twitchIds: readonly string[];
  /** The total at which a viewer without watch time on this channel is first checked. */
  firstCheckSeconds: number;
}

/**
 * Writes who came and who left since the last readings that counted; nobody else's row is touched. Whoever came does so
 * at the clock before the reading, so the interval that it ends is theirs. Returns what is to be remembered once the
 * transaction is committed.
 */
export async function writeChanges(
  tx: Tx,
  readings: readonly Look[],
  remembered: Remembered,
): Promise<Remembered> {
  const present = await presentBefore(tx, readings, remembered);
  const left: unknown[][] = [];
  const came: unknown[][] = [];
  const now: Remembered = new Map();
  for (const { channelId, counted, version, lookedUntilMs, twitchIds, firstCheckSeconds } of readings) {
    const joined = twitchIds.join(',');
    const changes = changesBetween(present.get(channelId) ?? '', joined, twitchIds);
    for (const id of changes.left) left.push([channelId, id, counted, lookedUntilMs]);
    for (const id of changes.came) came.push([channelId, id, counted, firstCheckSeconds]);
    now.set(channelId, { version: version + 1, twitchIds: joined });
  }
  if (left.length > 0) await leave(tx, { rows: JSON.stringify(left) });
  if (came.length > 0) await come(tx, { rows: JSON.stringify(came) });
  return now;
}

/** Adds rows for viewers who have none, so that they are known on the channel; they stay away. */
export async function addAbsent(
  tx: Tx,
  channelId: string,
  twitchIds: readonly string[],
  firstCheckSeconds: number,
): Promise<void> {
  const rows = twitchIds.map((id) => [channelId, id, null, firstCheckSeconds]);
  await add(tx, { rows: JSON.stringify(rows) });
}

function changesBetween(before: string, joined: string, twitchIds: readonly string[]) {
  if (before === joined) return { came: [], left: [] };
  const left = new Set(before === '' ? [] : before.split(','));
  // Deleting tells whether they were there.
  const came = twitchIds.filter((id) => !left.delete(id));
  return { came, left };
}

const readPresent = statement('present_viewers', (tx) =>
  tx
    .select({ channelId: watchTimes.channelId, twitchIds: commaSeparated(watchTimes.twitchId) })
    .from(watchTimes)
    .where(
      and(
        isAmong(watchTimes.channelId, sql.placeholder('channelIds')),
        // True of all who are present, and its index has few others.
        isNotNull(watchTimes.crossAt),
        isNotNull(watchTimes.since),
      ),
    )
    .groupBy(watchTimes.channelId),
);

/** Returns who was present by channel, from memory where it holds. */
async function presentBefore(
  tx: Tx,
  readings: readonly Look[],
  remembered: Remembered,
): Promise<Map<string, string>> {
  const present = new Map<string, string>();
  const unknown: string[] = [];
  for (const { channelId, version } of readings) {
    const known = remembered.get(channelId);
    if (known?.version === version) present.set(channelId, known.twitchIds);
    else unknown.push(channelId);
  }
  if (unknown.length === 0) return present;
  for (const { channelId, twitchIds } of await readPresent(tx, { channelIds: JSON.stringify(unknown) }))
    present.set(channelId, twitchIds ?? '');
  return present;
}

const total = sql`${watchTimes.seconds} + gone.counted - ${watchTimes.since}`;

const leave = statement('viewers_left', (tx) =>
  tx
    .update(watchTimes)
    .set({
      seconds: total,
      countedUntilMs: sql`gone.looked_until_ms`,
      since: null,
      // Somebody who is due is still evaluated.
      crossAt: sql`case when ${total} >= ${watchTimes.nextCheckSeconds} then ${bigint(0)} end`,
    })
    .from(
      rowsOf(
        sql.placeholder('rows'),
        { channel: 'text', viewer: 'text', counted: 'bigint', looked_until_ms: 'bigint' },
        'gone',
      ) as never,
    )
    .where(
      and(
        sql`${watchTimes.channelId} = gone.channel and ${watchTimes.twitchId} = gone.viewer`,
        isNotNull(watchTimes.since),
      ),
    ),
);

/** Inserts viewers in the order of the table's columns. */
const inserted = (tx: Tx) =>
  tx
    .insert(watchTimes)
    .select(
      sql`select channel, viewer, ${bigint(0)}, first_check, ${bigint(0)}, cast(null as bigint), since, since + first_check from ${rowsOf(sql.placeholder('rows'), { channel: 'text', viewer: 'text', since: 'bigint', first_check: 'bigint' }, 'came')} where true` as never,
    );

const target = [watchTimes.channelId, watchTimes.twitchId];

const come = statement('viewers_came', (tx) =>
  inserted(tx).onConflictDoUpdate({
    target,
    set: {
      since: sql`excluded.since`,
      crossAt: sql`excluded.since - ${watchTimes.seconds} + ${watchTimes.nextCheckSeconds}`,
    },
    setWhere: sql`${watchTimes.since} is null`,
  }),
);

const add = statement('viewers_known', (tx) => inserted(tx).onConflictDoNothing());
