import { setImmediate as othersTurn } from 'node:timers/promises';
import { and, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is, listOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { pacedTransactions } from '#domain/paced-transactions.ts';
import { channelLock, MAX_OF_ROUND, serveSome } from '#domain/reward/serve-waiting.ts';
import { conditionColumns } from '#domain/rule/conditions/conditions.ts';
import { mayHaveMet, type SweptRule } from '#domain/rule/may-have-met.ts';
import { enlist, findNewcomers, type Newcomer } from '#domain/rule/qualify.ts';

/** So many newcomers are written in one transaction at most, and so many viewers looked at closely in one query. */
const AT_ONCE = 1000;
/** When so many newcomers were found, they are written before more are looked for: memory holds no more of them. */
const MAX_HELD = 100_000;

/**
 * Looks at every registered viewer under these rules, as far as they are open, in transactions of its own; whoever opens
 * rules does so once that is committed. When it is interrupted, the next sweep of the channel finds whoever is missing.
 * Returns the number of new qualifications.
 */
export async function evaluateRules(
  database: Database,
  ruleIds: readonly string[],
  nowMs: number,
): Promise<number> {
  if (ruleIds.length === 0) return 0;
  const open = await database.read
    .select({ id: rules.id, channelId: rules.channelId, ...conditionColumns })
    .from(rules)
    .where(and(inArray(rules.id, [...ruleIds]), is(rules.state, 'open')));
  let qualified = 0;
  for (const channelId of new Set(open.map((rule) => rule.channelId))) {
    const swept = open.filter((rule) => rule.channelId === channelId);
    qualified += await sweep(database, channelId, swept, nowMs);
  }
  return qualified;
}

/**
 * Viewers are looked for without a transaction, and what comes of it is written by many short ones, so that others
 * write in between: first all who qualify, then what they are promised. All qualify at the same moment, and of a rule's
 * held together whoever is served first is written first, so that nobody who serves in between passes over them.
 */
async function sweep(database: Database, channelId: string, swept: readonly SweptRule[], nowMs: number) {
  const lock = channelLock(channelId);
  const ruleIds = swept.map(({ id }) => id);
  const enlisting = pacedTransactions(database, lock, AT_ONCE);
  let qualified = 0;
  let held: Newcomer[] = [];
  const writeHeld = async () => {
    const ordered = inOrderOfTies(held);
    for (let from = 0; from < ordered.length; ) {
      const written = await enlisting(async (tx, size) => {
        const some = ordered.slice(from, from + size);
        return { found: some.length, still: await enlistAgain(tx, some, nowMs) };
      });
      from += written.found;
      qualified += written.still;
    }
    held = [];
  };
  for await (const viewers of mayHaveMet(database.read, swept, nowMs)) {
    for (let from = 0; from < viewers.length; from += AT_ONCE) {
      const some = viewers.slice(from, from + AT_ONCE);
      held.push(...(await findNewcomers(database.read, scopeOf(ruleIds, some), nowMs)));
      if (held.length >= MAX_HELD) await writeHeld();
    }
    await othersTurn();
  }
  await writeHeld();
  const serving = pacedTransactions(database, lock, MAX_OF_ROUND);
  for (let left = ruleIds; left.length > 0; )
    ({ left } = await serving((tx, size) => serveSome(tx, left, nowMs, size)));
  return qualified;
}

const scopeOf = (ruleIds: readonly string[], twitchIds: readonly string[]): { rules: SQL; among: SQL } => ({
  rules: inArray(rules.id, [...ruleIds]),
  among: inArray(twitchAccounts.twitchId, sql`(select value from ${listOf(twitchIds, 'looked_at')})`),
});

/** Rule by rule, and each pair once: a viewer may have come up under rules of several kinds. */
const inOrderOfTies = (newcomers: readonly Newcomer[]): Newcomer[] =>
  [...new Map(newcomers.map((each) => [pairOf(each), each])).values()].sort((a, b) =>
    (a.ruleId === b.ruleId ? a.tieBreak < b.tieBreak : a.ruleId < b.ruleId) ? -1 : 1,
  );

const pairOf = ({ ruleId, twitchId }: Newcomer): string => `${ruleId} ${twitchId}`;

/** Decided again under the lock: a rule may have been closed, or somebody have left, since they were found. */
async function enlistAgain(tx: Tx, found: readonly Newcomer[], nowMs: number): Promise<number> {
  const ruleIds = [...new Set(found.map(({ ruleId }) => ruleId))];
  const viewers = [...new Set(found.map(({ twitchId }) => twitchId))];
  const wanted = new Set(found.map(pairOf));
  const still = await findNewcomers(tx, scopeOf(ruleIds, viewers), nowMs);
  const newcomers = still.filter((each) => wanted.has(pairOf(each)));
  await enlist(tx, newcomers, nowMs);
  return newcomers.length;
}
