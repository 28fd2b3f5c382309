import { and, asc, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { countingsOf } from '#domain/condition/conditions.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { countedAnew } from '#domain/rule/begin-counting.ts';
import { carryOver } from '#domain/rule/carry-counts.ts';
import { resumeRule } from '#domain/rule/pause-rules.ts';
import { findLastPlace, findLastViewer } from './last-viewer.ts';

/** Maximum number of viewers per transaction; a channel with half as many opens its rule at once. */
const AT_ONCE = 10_000;

type Rule = typeof rules.$inferSelect;

/** Matches rules that are still being opened. No watch time is credited on their channels. */
export const isOpening = and(is(rules.state, 'paused'), is(rules.pauseReason, 'opening'));

/**
 * Opens a rule that was just created, in the caller's transaction. With too many viewers for one transaction it stays
 * paused after the first of them; then `finishOpening` goes on after the commit. One that takes another's place has
 * the places in its line afterwards, which `finishChecks` checks.
 */
export async function openRule(tx: ChannelTx, rule: Rule, nowMs: number): Promise<void> {
  const takesPlace = rule.succeedsId !== null;
  // The chat is read already for the rule whose place it takes.
  if (!takesPlace) for (const counting of countingsOf(rule)) await counting.begin(tx, rule);
  const reached = await takeViewers(tx, rule, '', AT_ONCE / 2);
  if (reached !== null) await advanceRule(tx, rule.id, 'paused', { pauseReason: 'opening' }, nowMs);
  // The owner's pause of the rule whose place it takes goes on.
  else if (rule.pausedAtMs !== null)
    await advanceRule(tx, rule.id, 'paused', { pauseReason: 'owner' }, nowMs);
}

/**
 * Finishes the rules of a channel that are being opened, in short transactions. If interrupted, the bot's
 * next round or the channel's next tick goes on: viewers have the same watch time until then. Returns the
 * rules that opened.
 */
export async function finishOpening(db: Database, channelId: string, nowMs: number): Promise<string[]> {
  const opening = await db.read
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.channelId, channelId), isOpening))
    .orderBy(asc(rules.id));
  const transaction = pacedTransactions(db, channelLock(channelId), AT_ONCE);
  const opened: string[] = [];
  for (const { id } of opening) {
    for (let after: string | null = ''; after !== null; ) {
      const from: string = after;
      after = await transaction((tx, size) => openFurther(tx, id, from, size, nowMs));
    }
    opened.push(id);
  }
  return opened;
}

/**
 * Opens a rule for the next slice of viewers, and returns the last Twitch id of it; null if the rule is open,
 * by this or by another process.
 */
async function openFurther(tx: ChannelTx, ruleId: string, after: string, size: number, nowMs: number) {
  const [rule] = await tx
    .select()
    .from(rules)
    .where(and(eq(rules.id, ruleId), isOpening));
  if (!rule) return null;
  const reached = await takeViewers(tx, rule, await resumeFrom(tx, rule, after), size);
  if (reached !== null) return reached;
  await resumeRule(tx, rule, nowMs);
  return null;
}

/**
 * Finds where an opening goes on. Everything that a rule counts is started for the same slice of viewers, so the rows
 * of any of its conditions show how far it came. A successor has the rows of its predecessor, which lacks those of who
 * came after it: an interrupted one begins again, which changes nothing that was carried over.
 */
async function resumeFrom(tx: Tx, rule: Rule, after: string): Promise<string> {
  if (rule.succeedsId !== null) return after;
  for (const counting of countingsOf(rule)) {
    const reached = await counting.reached(tx, rule);
    if (reached !== null) return reached > after ? reached : after;
  }
  return after;
}

/** Starts the rule for a slice of viewers, and returns its last Twitch id; null at the end. */
async function takeViewers(tx: Tx, rule: Rule, after: string, size: number): Promise<string | null> {
  const countings = countingsOf(rule);
  const earlier = await findPredecessor(tx, rule);
  const { channelId } = rule;
  const ends = [
    countings.length > 0 && (await findLastViewer(tx, { channelId, after, size })),
    earlier && (await findLastPlace(tx, { ruleId: earlier.id, after, size })),
  ].filter((end) => typeof end === 'string');
  const [last = null] = ends.sort();
  if (earlier) await carryOver(tx, { from: earlier, to: rule }, { after, last });
  const anew = earlier ? countedAnew(earlier, rule) : countings;
  for (const counting of anew) await counting.start(tx, rule, { after, last });
  return last;
}

async function findPredecessor(tx: Tx, { succeedsId }: Rule): Promise<Rule | null> {
  if (succeedsId === null) return null;
  const [rule] = await tx.select().from(rules).where(eq(rules.id, succeedsId));
  return rule ?? null;
}
