import { createHmac } from 'node:crypto';
import { and, eq, gt, ne, notExists, type SQL, sql } from 'drizzle-orm';
import type { Answer, Reader } from '#db/database.ts';
import { bigint, is, isAmong, numberAt } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { insertManyInto } from '#db/write.ts';
import {
  type AnyStoredCondition,
  exactConditionsMet,
  joinStored,
  storedConditions,
  storedConditionsMet,
} from '#domain/condition/conditions.ts';
import { onRule } from '#domain/condition/viewer-joins.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { serveWaiting } from '#domain/reward/serve-waiting.ts';

/** The pairs of an open rule and a registered viewer that are evaluated. */
export interface Scope {
  rules: SQL | undefined;
  among?: SQL | undefined;
}

/** A viewer who meets a rule for the first time. */
export interface Newcomer {
  channelId: string;
  ruleId: string;
  twitchId: string;
  tieBreak: string;
}

/** The number of new qualifications, and the rules that are still to be served after the commit. */
export interface Qualified {
  qualified: number;
  left: readonly string[];
}

/**
 * Finds the registered viewers among those that `among` matches who meet an open rule for the first time,
 * writes them onto the rule's waiting list and serves it for one round. One query over sets decides for all
 * rules of the scope.
 */
export async function qualify(tx: ChannelTx, scope: Scope, nowMs: number): Promise<Qualified> {
  return take(tx, await findNewcomers(tx, scope, nowMs), nowMs);
}

/**
 * Like `qualify` for all rules of a channel and the viewers that its tick has to evaluate, by a query that is
 * built only once.
 */
export async function qualifyDue(
  tx: ChannelTx,
  { channelId, twitchIds }: { channelId: string; twitchIds: readonly string[] },
  nowMs: number,
): Promise<Qualified> {
  const found = await newcomersDue(tx, { channelId, twitchIds: JSON.stringify(twitchIds), nowMs });
  return take(tx, withTies(found), nowMs);
}

/** Writes newcomers onto the waiting lists of their rules and serves these for one round. */
export async function take(tx: ChannelTx, found: readonly Newcomer[], nowMs: number): Promise<Qualified> {
  await enlist(tx, found, nowMs);
  const { left } = await serveWaiting(tx, [...new Set(found.map((each) => each.ruleId))], nowMs);
  return { qualified: found.length, left };
}

/**
 * Finds the viewers of the scope who meet a rule now and are not on its list. `from` may be a query of the
 * same name with other values.
 */
export async function findNewcomers(
  q: Reader,
  scope: Scope,
  nowMs: number,
  from: typeof rules = rules,
): Promise<Newcomer[]> {
  return withTies(await newlyQualified(q, scope, bigint(nowMs), undefined, from));
}

type Found = Omit<Newcomer, 'tieBreak'> & { seed: string };

const withTies = (found: readonly Found[]): Newcomer[] =>
  found.map(({ seed, ...pair }) => ({ ...pair, tieBreak: tieBreak(seed, pair.twitchId) }));

const insertQualifications = insertManyInto(qualifications, 'qualifications', { passOverKnown: true });

/** Writes newcomers onto the waiting lists of their rules. Nobody is served yet. */
export const enlist = (
  tx: ChannelTx,
  newcomers: readonly Omit<Newcomer, 'channelId'>[],
  nowMs: number,
): Answer<unknown> =>
  insertQualifications(
    tx,
    newcomers.map(({ ruleId, twitchId, tieBreak }) => ({ ruleId, twitchId, tieBreak, qualifiedAtMs: nowMs })),
  );

/** Decides between viewers who qualified at the same moment, by nothing that anyone could choose. */
export const tieBreak = (seed: string, twitchId: string): string =>
  createHmac('sha256', seed).update(twitchId).digest('hex');

/**
 * SQLite joins in this written order, and so reads a viewer's data once for all rules of a channel. Rules
 * come late, then the join that removes most rows, viewers who are listed already, and the account last.
 * Viewers come in the order of the tables' keys, so that each table is read from its beginning to its end. A
 * condition may be left out.
 *
 * PostgreSQL chooses its own order only among eight tables (`join_collapse_limit`): those joined here and the
 * one that `among` names are as many.
 */
export function newlyQualified(
  tx: Reader,
  scope: Scope,
  nowMs: SQL,
  without?: AnyStoredCondition['key'],
  from: typeof rules = rules,
) {
  const watched = tx
    .selectDistinct({ id: rules.channelId })
    .from(from)
    .where(and(is(rules.state, 'open'), scope.rules))
    .as('watched');
  const { twitchId } = twitchAccounts;
  const viewers = tx
    .select({ channelId: watched.id, ruleId: rules.id, twitchId, seed: rules.seed })
    .from(watched)
    .crossJoin(twitchAccounts);
  return joinStored(viewers, storedConditions, watched.id, twitchId)
    .crossJoin(from)
    .where(
      and(
        scope.among,
        // Matches every id; the range makes SQLite read in the order of the key, rather than in the order in
        // which rows were added.
        gt(twitchId, ''),
        ne(twitchId, watched.id),
        eq(rules.channelId, watched.id),
        is(rules.state, 'open'),
        scope.rules,
        ne(rules.ownerId, twitchAccounts.userId),
        storedConditionsMet(nowMs, without),
        notExists(tx.select({ one: sql`1` }).from(qualifications).where(onRule(qualifications, twitchId))),
        isVerified(tx),
        exactConditionsMet(tx),
      ),
    );
}

/** A value rather than a join, because PostgreSQL would read all accounts in the order of their users for that. */
const isVerified = (tx: Reader): SQL => {
  const verified = tx
    .select({ atMs: users.emailVerifiedAtMs })
    .from(users)
    .where(eq(users.id, twitchAccounts.userId));
  return sql`(${verified}) is not null`;
};

const newcomersDue = statement('newcomers_due', (tx) => {
  const channelId = sql.placeholder('channelId');
  const scope = {
    rules: eq(rules.channelId, channelId),
    among: isAmong(twitchAccounts.twitchId, sql.placeholder('twitchIds')),
  };
  return newlyQualified(tx, scope, numberAt('nowMs'));
});
