import { and, asc, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { alias, within } from '#db/dialect.ts';
import { type RewardState, rewards } from '#db/schema/reward.ts';
import { liveRuleStates, qualifications, rules } from '#db/schema/rule.ts';
import {
  type ConditionProgress,
  conditionColumns,
  conditionProgress,
  viewerFacts,
} from '#domain/condition/conditions.ts';
import { onRule } from '#domain/condition/viewer-joins.ts';
import { lineOf, lineOfRule } from '#domain/draw/rule-line.ts';
import { countFree } from '#domain/rule/list-rules.ts';

const others = alias(rewards, 'others');

/** A viewer's status under one rule. */
export type Standing =
  | 'inProgress'
  | 'outOfRewards'
  | 'waiting'
  | 'readyToClaim'
  | 'awaitingConfirmation'
  | 'claimed'
  | 'timedOut'
  | 'recalled';

export interface ViewerProgress {
  ruleId: string;
  ruleName: string;
  standing: Standing;
  progress: ConditionProgress;
}

interface Viewer {
  userId: string;
  twitchId: string;
}

/** Rewards belong to a viewer from the promise on, so `free` cannot occur. */
const standings: Record<Exclude<RewardState, 'free'>, Standing> = {
  promised: 'readyToClaim',
  reserved: 'awaitingConfirmation',
  claimed: 'claimed',
  recalled: 'recalled',
};

/**
 * Returns a viewer's status under each of these rules that is open or paused, by its id, oldest first; none under rules
 * of their own or on their own channel.
 */
export async function listStandings(
  db: Database,
  viewer: Viewer,
  ruleIds: readonly string[],
  nowMs: number,
): Promise<Map<string, ViewerProgress>> {
  if (ruleIds.length === 0) return new Map();
  const which = and(
    inArray(rules.id, [...ruleIds]),
    within(rules.state, liveRuleStates),
    ne(rules.channelId, viewer.twitchId),
  );
  const found = await standingsUnder(db, viewer, which, nowMs);
  return new Map(found.map((each) => [each.ruleId, each]));
}

/** Reads a viewer's status under the rules that a condition matches, without their own, oldest first. */
export async function standingsUnder(
  db: Database,
  viewer: Viewer,
  which: SQL | undefined,
  nowMs: number,
): Promise<ViewerProgress[]> {
  const rows = await rulesFor(db, viewer, which);
  const free = await countFree(
    db,
    rows.map((row) => row.ruleId),
  );
  return rows.map((row) => ({
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    standing: standingOf(row, free.get(row.ruleId) ?? 0),
    progress: conditionProgress(row, row, nowMs),
  }));
}

function standingOf(
  row: { rewardState: RewardState | null; recallReason: string | null; qualifiedAtMs: number | null },
  freeRewards: number,
): Standing {
  if (row.rewardState === 'recalled' && row.recallReason === 'timedOut') return 'timedOut';
  if (row.rewardState !== null && row.rewardState !== 'free') return standings[row.rewardState];
  if (row.qualifiedAtMs !== null) return 'waiting';
  return freeRewards === 0 ? 'outOfRewards' : 'inProgress';
}

/**
 * The state of a reward that was promised while another Twitch account was connected, or by a rule whose place this one
 * took. An aggregate, because an account may have several from before it was limited to one.
 */
const ofAccount = (db: Database, { userId, twitchId }: Viewer) =>
  db.read
    .select({ state: sql`max(${others.state})` })
    .from(others)
    .where(
      and(
        eq(lineOf(others), lineOfRule(rules)),
        or(eq(others.userId, userId), eq(others.twitchId, twitchId)),
      ),
    );

const rulesFor = (db: Database, viewer: Viewer, which: SQL | undefined) =>
  db.read
    .select({
      ruleId: rules.id,
      ruleName: rules.name,
      ...conditionColumns,
      ...viewerFacts(sql`${viewer.twitchId}`),
      qualifiedAtMs: qualifications.qualifiedAtMs,
      rewardState: sql<RewardState | null>`coalesce(${rewards.state}, ${ofAccount(db, viewer)})`,
      recallReason: rewards.recallReason,
    })
    .from(rules)
    .leftJoin(qualifications, onRule(qualifications, viewer.twitchId))
    .leftJoin(rewards, and(eq(rewards.ruleId, rules.id), eq(rewards.twitchId, viewer.twitchId)))
    .where(and(which, ne(rules.ownerId, viewer.userId)))
    .orderBy(asc(rules.createdAtMs), asc(rules.id));
