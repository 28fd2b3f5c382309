import { and, asc, count, eq, isNotNull, isNull, ne, notExists, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { numberAt, rowsOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { lineOf } from '#domain/draw/rule-line.ts';

/** The rule fields needed to serve its waiting list. */
export interface ServedRule {
  id: string;
  /** Of a line nobody is promised more than one reward. */
  lineId: string;
  name: string;
  ownerId: string;
  channelId: string;
  channelName: string;
  claimTimeoutHours: number;
  sendDelayHours: number;
  seed: string;
  /** True if the channel announces promises in chat. */
  announces: boolean;
}

/**
 * Lists the next viewers waiting on a rule, in serving order. Owner and broadcaster are excluded here again because
 * Twitch accounts may have been relinked since they qualified; and so is whoever was promised a reward of the rule,
 * or of one whose place it took, while another Twitch account was connected.
 */
export const nextWaiting = statement('next_waiting', (tx) =>
  tx
    .select({
      twitchId: qualifications.twitchId,
      displayName: twitchAccounts.displayName,
      userId: users.id,
      email: users.email,
      name: users.name,
      locale: users.locale,
      notifyByMail: users.notifyByMail,
    })
    .from(qualifications)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, qualifications.twitchId))
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(
      and(
        eq(qualifications.ruleId, sql.placeholder('ruleId')),
        isNull(qualifications.promisedAtMs),
        ne(users.id, sql.placeholder('ownerId')),
        ne(qualifications.twitchId, sql.placeholder('channelId')),
        notExists(
          tx
            .select({ one: sql`1` })
            .from(rewards)
            .where(and(eq(lineOf(rewards), sql.placeholder('lineId')), eq(rewards.userId, users.id))),
        ),
      ),
    )
    .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.tieBreak), asc(qualifications.twitchId))
    .limit(sql.placeholder('limit')),
);

const countSome = statement('some_waiting', (tx) => {
  const some = tx
    .select({ one: sql`1`.as('one') })
    .from(qualifications)
    .where(and(eq(qualifications.ruleId, sql.placeholder('ruleId')), isNull(qualifications.promisedAtMs)))
    .limit(sql.placeholder('limit'))
    .as('some');
  return tx.select({ waiting: count() }).from(some);
});

/** Counts the viewers who wait on a rule, up to `limit`, including those who are not served. */
export async function countWaiting(tx: Tx, asked: { ruleId: string; limit: number }): Promise<number> {
  const [row] = await countSome(tx, asked);
  return Number(row?.waiting ?? 0);
}

export type Waiting = Awaited<ReturnType<typeof nextWaiting>>[number];

const servedRows = rowsOf(sql.placeholder('served'), { rule_id: 'text', twitch_id: 'text' }, 'served');
const setPromised = statement('served', (tx) =>
  tx
    .update(qualifications)
    .set({ promisedAtMs: numberAt('nowMs') })
    .from(servedRows as never)
    .where(sql`${qualifications.ruleId} = served.rule_id and ${qualifications.twitchId} = served.twitch_id`),
);

/** Removes served viewers from the waiting lists. */
export async function markServed(
  tx: Tx,
  served: readonly { ruleId: string; twitchId: string }[],
  nowMs: number,
): Promise<void> {
  if (served.length === 0) return;
  const rows = served.map(({ ruleId, twitchId }) => [ruleId, twitchId]);
  await setPromised(tx, { served: JSON.stringify(rows), nowMs });
}
