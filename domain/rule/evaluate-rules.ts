import { setImmediate as othersTurn } from 'node:timers/promises';
import { and, inArray, type SQL } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, isAmong } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { conditionColumns } from '#domain/condition/conditions.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { mayHaveMet, type SweptRule } from '#domain/rule/may-have-met.ts';
import { enlist, findNewcomers, type Newcomer } from '#domain/rule/qualify.ts';

/** Maximum newcomers written per transaction, and viewers evaluated per query. */
const AT_ONCE = 1000;
/** Newcomers are written once this many are found, to bound memory. */
const MAX_HELD = 100_000;

/**
 * Evaluates every registered viewer under these rules, if open, in its own transactions; callers that open
 * rules run it after committing. If interrupted, the channel's next sweep finds the rest. Returns the number
 * of new qualifications.
 */
export async function evaluateRules(
  db: Database,
  ruleIds: readonly string[],
  nowMs: number,
): Promise<number> {
  if (ruleIds.length === 0) return 0;
  const open = await db.read
    .select({ id: rules.id, channelId: rules.channelId, ...conditionColumns })
    .from(rules)
    .where(and(inArray(rules.id, [...ruleIds]), is(rules.state, 'open')));
  let qualified = 0;
  for (const channelId of new Set(open.map((rule) => rule.channelId))) {
    const swept = open.filter((rule) => rule.channelId === channelId);
    qualified += await sweep(db, channelId, swept, nowMs);
  }
  return qualified;
}

/**
 * Finds viewers without a transaction and writes the results in many short ones, so that other writes get in between:
 * first all qualifications, then the promises. All qualify at the same time, and each rule's batch is written in
 * serving order, so that a concurrent serve skips nobody.
 */
async function sweep(db: Database, channelId: string, swept: readonly SweptRule[], nowMs: number) {
  const lock = channelLock(channelId);
  const ruleIds = swept.map(({ id }) => id);
  const enlisting = pacedTransactions(db, lock, AT_ONCE);
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
  for await (const viewers of mayHaveMet(db.read, swept, nowMs)) {
    for (let from = 0; from < viewers.length; from += AT_ONCE) {
      const some = viewers.slice(from, from + AT_ONCE);
      held.push(...(await findNewcomers(db.read, scopeOf(ruleIds, some), nowMs)));
      if (held.length >= MAX_HELD) await writeHeld();
    }
    await othersTurn();
  }
  await writeHeld();
  await serveInRounds(db, channelId, ruleIds, nowMs);
  return qualified;
}

const scopeOf = (ruleIds: readonly string[], twitchIds: readonly string[]): { rules: SQL; among: SQL } => ({
  rules: inArray(rules.id, [...ruleIds]),
  among: isAmong(twitchAccounts.twitchId, twitchIds),
});

/** Orders by rule and removes duplicates: a viewer may be found under several kinds of rules. */
const inOrderOfTies = (newcomers: readonly Newcomer[]): Newcomer[] =>
  [...new Map(newcomers.map((each) => [pairOf(each), each])).values()].sort((a, b) =>
    (a.ruleId === b.ruleId ? a.tieBreak < b.tieBreak : a.ruleId < b.ruleId) ? -1 : 1,
  );

const pairOf = ({ ruleId, twitchId }: Newcomer): string => `${ruleId} ${twitchId}`;

/** Checks again under the lock: a rule may have closed, or a viewer may have left, since they were found. */
async function enlistAgain(tx: ChannelTx, found: readonly Newcomer[], nowMs: number): Promise<number> {
  const ruleIds = [...new Set(found.map(({ ruleId }) => ruleId))];
  const viewers = [...new Set(found.map(({ twitchId }) => twitchId))];
  const wanted = new Set(found.map(pairOf));
  const still = await findNewcomers(tx, scopeOf(ruleIds, viewers), nowMs);
  const newcomers = still.filter((each) => wanted.has(pairOf(each)));
  await enlist(tx, newcomers, nowMs);
  return newcomers.length;
}
