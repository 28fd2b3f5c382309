import { and, count, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { qualifications, ruleCorrections, rules } from '#db/schema/rule.ts';
import { asksFor } from '#domain/condition/condition.ts';
import {
  type AnyStoredCondition,
  type Conditions,
  exactConditionsMet,
  joinStored,
  type ListedCondition,
  listReadAtMs,
  storedConditions,
  storedValuesMet,
} from '#domain/condition/conditions.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { inSlice, type ViewerSlice } from '#domain/kernel/viewer-slice.ts';

type Asking = Conditions & { id: string; channelId: string; createdAtMs: number; succeedsId: string | null };

/**
 * Selects the viewers who wait on a rule and are known not to meet it. `from` may be a query of the same name with
 * other values. Whoever has no Twitch account connected now keeps their place. Who redeemed channel points has done so.
 */
async function unmetWaiting(
  q: Reader,
  { rule, from = rules, slice }: { rule: Asking; from?: typeof rules; slice?: ViewerSlice },
  nowMs: number,
) {
  const { twitchId } = twitchAccounts;
  const waiting = q
    .select({ twitchId: qualifications.twitchId })
    .from(from)
    .innerJoin(qualifications, and(eq(qualifications.ruleId, rules.id), isNull(qualifications.promisedAtMs)))
    .innerJoin(twitchAccounts, eq(twitchId, qualifications.twitchId));
  const met = and(storedValuesMet(bigint(nowMs), await knownConditions(q, rule)), exactConditionsMet(q));
  const unmet = joinStored(waiting, storedConditions, rules.channelId, twitchId).where(
    and(
      eq(rules.id, rule.id),
      slice && inSlice(slice, qualifications.twitchId),
      sql`not coalesce((${met}), false)`,
    ),
  );
  // An object, because a query is a promise of its rows.
  return { unmet };
}

/**
 * Returns the conditions of which it is known who meets them. Twitch's lists are read only while a rule asks for them:
 * of one that was not read since then, nothing is known. What it decides is asked again before a claim is sent.
 */
async function knownConditions(q: Reader, rule: Asking): Promise<AnyStoredCondition[]> {
  const [readAtMs] = await q.select(listReadAtMs).from(channels).where(eq(channels.id, rule.channelId));
  const known: AnyStoredCondition[] = [];
  for (const condition of storedConditions) {
    const atMs = condition.list && (readAtMs?.[condition.key as ListedCondition['key']] ?? null);
    const isRead =
      atMs !== null && asksFor(rule, condition) && atMs > (await askedSinceMs(q, rule, condition));
    if (condition.list === null || isRead) known.push(condition);
  }
  return known;
}

/** Since when a rule has asked for a condition: from its beginning, since a correction, or as long as the one before it. */
async function askedSinceMs(q: Reader, rule: Asking, condition: AnyStoredCondition): Promise<number> {
  const corrections = await q
    .select({ atMs: ruleCorrections.atMs, before: ruleCorrections.before })
    .from(ruleCorrections)
    .where(eq(ruleCorrections.ruleId, rule.id));
  const added = corrections.filter(({ before }) => before[condition.column] === null);
  if (added.length > 0) return Math.max(...added.map(({ atMs }) => atMs));
  if (rule.succeedsId === null) return rule.createdAtMs;
  const [earlier] = await q.select().from(rules).where(eq(rules.id, rule.succeedsId));
  return earlier && asksFor(earlier, condition) ? askedSinceMs(q, earlier, condition) : rule.createdAtMs;
}

/** Counts the viewers who wait on a rule and would not meet it if it had the values of the table `from`. */
export async function countLeaving(
  q: Reader,
  asked: { rule: Asking; from: typeof rules },
  nowMs: number,
): Promise<number> {
  const { unmet } = await unmetWaiting(q, asked, nowMs);
  const [row] = await q.select({ viewers: count() }).from(unmet.as('leaving'));
  return row?.viewers ?? 0;
}

/** Takes those of a slice who wait on a rule and are known not to meet it off its list. */
export async function dropUnmet(
  tx: ChannelTx,
  { rule, slice }: { rule: Asking; slice: ViewerSlice },
  nowMs: number,
): Promise<void> {
  const { unmet } = await unmetWaiting(tx, { rule, slice }, nowMs);
  await tx
    .delete(qualifications)
    .where(
      and(
        eq(qualifications.ruleId, rule.id),
        isNull(qualifications.promisedAtMs),
        inSlice(slice, qualifications.twitchId),
        inArray(qualifications.twitchId, unmet),
      ),
    );
}
