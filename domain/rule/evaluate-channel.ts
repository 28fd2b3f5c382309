import { setImmediate as othersTurn } from 'node:timers/promises';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, listOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { channelLock, serveSome } from '#domain/reward/serve-waiting.ts';
import { conditionColumns } from '#domain/rule/conditions.ts';
import { mayHaveMet } from '#domain/rule/may-have-met.ts';
import { enlist, findNewcomers, type Newcomer } from '#domain/rule/qualify.ts';

/** So many newcomers are written in one transaction, and so many viewers looked at closely in one query. */
const AT_ONCE = 1000;
/** When so many newcomers were found, they are written before more are looked for: memory holds no more of them. */
const MOST_HELD = 20_000;

/**
 * The full sweep: every registered viewer under every open rule of a channel, hourly and when follows changed. Whoever
 * waits is served as well, because a reward whose item was locked or missing may be free to promise by now. Returns the
 * number of new qualifications.
 *
 * Viewers are looked for without a transaction, and what comes of it is written by many short ones, so that others
 * write in between. All qualify at the same moment, and of those held together whoever is served first is written
 * first, so that nobody who serves in between passes over them.
 */
export async function evaluateChannel(database: Database, channelId: string, nowMs: number): Promise<number> {
  const lock = channelLock(channelId);
  const swept = await database.read
    .select({ id: rules.id, channelId: rules.channelId, ...conditionColumns })
    .from(rules)
    .where(and(eq(rules.channelId, channelId), is(rules.state, 'open')));
  let qualified = 0;
  let held: Newcomer[] = [];
  const writeHeld = async () => {
    for (const some of inParts(inOrderOfTies(held)))
      qualified += await database.transaction((tx) => enlistAgain(tx, channelId, some, nowMs), { lock });
    held = [];
  };
  for await (const viewers of mayHaveMet(database.read, swept, nowMs)) {
    for (const some of inParts(viewers)) {
      held.push(...(await findNewcomers(database.read, scopeOf(channelId, some), nowMs)));
      if (held.length >= MOST_HELD) await writeHeld();
    }
    await othersTurn();
  }
  await writeHeld();
  for (let left = swept.map(({ id }) => id); left.length > 0; )
    left = (await database.transaction((tx) => serveSome(tx, left, nowMs), { lock })).left;
  return qualified;
}

const scopeOf = (channelId: string, twitchIds: readonly string[]): { rules: SQL; among: SQL } => ({
  rules: eq(rules.channelId, channelId),
  among: inArray(twitchAccounts.twitchId, sql`(select value from ${listOf(twitchIds, 'looked_at')})`),
});

/** A viewer may have come up under rules of several kinds. */
const inOrderOfTies = (newcomers: readonly Newcomer[]): Newcomer[] =>
  [...new Map(newcomers.map((each) => [pairOf(each), each])).values()].sort((a, b) =>
    a.tieBreak < b.tieBreak ? -1 : 1,
  );

const pairOf = ({ ruleId, twitchId }: Newcomer): string => `${ruleId} ${twitchId}`;

/** Decided again under the lock: a rule may have been closed, or somebody have left, since they were found. */
async function enlistAgain(
  tx: Parameters<typeof enlist>[0],
  channelId: string,
  found: readonly Newcomer[],
  nowMs: number,
): Promise<number> {
  const viewers = [...new Set(found.map(({ twitchId }) => twitchId))];
  const wanted = new Set(found.map(pairOf));
  const still = await findNewcomers(tx, scopeOf(channelId, viewers), nowMs);
  const newcomers = still.filter((each) => wanted.has(pairOf(each)));
  await enlist(tx, newcomers, nowMs);
  return newcomers.length;
}

function* inParts<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += AT_ONCE) yield list.slice(from, from + AT_ONCE);
}
