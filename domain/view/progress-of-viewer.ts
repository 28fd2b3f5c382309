import { and, asc, eq, ne, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { alias, is } from '#db/dialect.ts';
import { type RewardState, rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { findViewer } from '#domain/account/find-viewer.ts';
import {
  type ConditionProgress,
  conditionColumns,
  conditionProgress,
  viewerFacts,
} from '#domain/condition/conditions.ts';
import { onRule } from '#domain/condition/viewer-joins.ts';
import { lineOf, lineOfRule } from '#domain/draw/rule-line.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { countFree } from '#domain/rule/list-rules.ts';
import { type Presence, readPresences } from '#domain/watch-time/read-presences.ts';

const others = alias(rewards, 'others');

/** A viewer's status under one rule of a channel. */
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

export const progressRefusals = ['notLinked', 'notVerified', 'ownRules', 'noRules'] as const;
export type ProgressRefusal = (typeof progressRefusals)[number];

/** Rewards belong to a viewer from the promise on, so `free` cannot occur. */
const standings: Record<Exclude<RewardState, 'free'>, Standing> = {
  promised: 'readyToClaim',
  reserved: 'awaitingConfirmation',
  claimed: 'claimed',
  recalled: 'recalled',
};

/**
 * Returns a Twitch user's status under each open rule of one channel, and their part in its chat; null unless it is
 * live. Refused for unregistered or unverified users,
 * for the broadcaster, and on a channel without open rules.
 */
export async function progressOfViewer(
  db: Database,
  viewer: { channelId: string; twitchId: string },
  nowMs: number,
): Promise<Outcome<{ rules: ViewerProgress[]; presence: Presence | null }, ProgressRefusal>> {
  const account = await findViewer(db, viewer);
  if (!account.ok) return account;
  if (viewer.twitchId === viewer.channelId) return refuse('ownRules');
  const rows = await rulesFor(db, { ...viewer, userId: account.userId });
  if (rows.length === 0) return refuse('noRules');
  const free = await countFree(
    db,
    rows.map((row) => row.ruleId),
  );
  const { userId } = account;
  const presences = await readPresences(db.read, { userId, channelIds: [viewer.channelId] }, nowMs);
  return done({
    presence: presences.get(viewer.channelId) ?? null,
    rules: rows.map((row) => ({
      ruleId: row.ruleId,
      ruleName: row.ruleName,
      standing: standingOf(row, free.get(row.ruleId) ?? 0),
      progress: conditionProgress(row, row, nowMs),
    })),
  });
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
const ofAccount = (db: Database, { userId, twitchId }: { userId: string; twitchId: string }) =>
  db.read
    .select({ state: sql`max(${others.state})` })
    .from(others)
    .where(
      and(
        eq(lineOf(others), lineOfRule(rules)),
        or(eq(others.userId, userId), eq(others.twitchId, twitchId)),
      ),
    );

const rulesFor = (db: Database, viewer: { channelId: string; twitchId: string; userId: string }) =>
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
    .where(
      and(eq(rules.channelId, viewer.channelId), is(rules.state, 'open'), ne(rules.ownerId, viewer.userId)),
    )
    .orderBy(asc(rules.createdAtMs), asc(rules.id));
