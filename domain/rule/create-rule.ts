import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { type Database, holdLock, isUniqueViolation, type Reader } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { type RuleType, rules } from '#db/schema/rule.ts';
import { type ChannelBlocker, channelBlocker } from '#domain/channel/channel-blocker.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { asksFor } from '#domain/condition/condition.ts';
import {
  type Conditions,
  conditionBounds,
  type Impossible,
  impossibleIn,
  paidConditions,
  type RefusedElsewhere,
  refusedElsewhere,
  requiredColumns,
} from '#domain/condition/conditions.ts';
import { hasNoConditions } from '#domain/condition/no-conditions.ts';
import { reportGiving } from '#domain/identity/access/report-giving.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { getSendDelay } from '#domain/identity/send-delay.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { type ChannelTx, channelLock, itemsLock, rulesLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refusable, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { countRules } from '#domain/plan/usage-counts.ts';
import {
  type AttachedKind,
  type AttachRefusal,
  attachKinds,
  weightRefusalOf,
} from '#domain/rule/attach-rewards.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { finishOpening, openRule } from '#domain/rule/open-rule.ts';
import { isPaidDraw } from '#domain/rule/paid-draw.ts';

export const ruleBounds = {
  nameLength: { min: 1, max: 80 },
  ...conditionBounds,
  claimTimeoutHours: { min: 1, max: 336 },
} as const;

export const DEFAULT_CLAIM_TIMEOUT_HOURS = 72;

export interface RuleDraft extends Conditions {
  name: string;
  type: RuleType;
  claimTimeoutHours: number;
}

export type RuleRefusal =
  | 'noCondition'
  /** A random reward for a paid condition, which the operator does not allow. */
  | 'paidDraw'
  | 'twitchNotLinked'
  | 'twitchRestricted'
  | 'twitchPermissionsMissing'
  /** The owner has not allowed Keepsake to manage channel points. */
  | 'pointsPermissionMissing'
  /** Twitch shows no such channel: it is suspended or deleted. */
  | 'channelMissing'
  | 'steamNotLinked'
  | 'ruleLimit'
  /** The owner's plan does not include rules on other channels. */
  | 'otherChannelsLimit'
  /** The channel's broadcaster has not admitted the owner. */
  | 'notAdmitted'
  /** Twitch cannot be read for someone else's channel now. */
  | 'channelUnavailable'
  /** A condition works only on the owner's own channel. */
  | RefusedElsewhere
  /** Nobody could meet the conditions. */
  | Impossible
  /** The request id is already used by someone else's rule. */
  | 'requestUsed'
  /** The values that the rule starts with. */
  | Extract<
      AttachRefusal,
      | 'notRandom'
      | 'weightOutOfBounds'
      | 'weightsDiffer'
      | 'rewardLimit'
      | 'steamChangedRecently'
      | 'accountFrozen'
      | 'notEnough'
    >;

/**
 * Creates a rule on the streamer's own channel, or on one that admits them. A rule that counts watch time
 * from its start stores every viewer's total as their baseline; one that counts all time, or only following,
 * may already be met once it opens. With `kinds` it opens with these rewards, or not at all. `requestId`
 * becomes the rule's id, and repeating it returns the first result. The form has checked the draft's bounds.
 */
export async function createRule(
  db: Database,
  request: RuleRequest,
  nowMs: number,
): Promise<Outcome<{ ruleId: string }, RuleRefusal>> {
  const channelId = request.channelId ?? (await findChannelOf(db.read, request.userId));
  const outcome = await refusable<Outcome<{ ruleId: string }, RuleRefusal>, RuleRefusal>(() =>
    openOnce(db, { ...request, channelId }, nowMs),
  );
  // A repeated request continues the work of an interrupted first one.
  if (outcome.ok) {
    if (channelId) await finishOpening(db, channelId, nowMs);
    await evaluateRules(db, [outcome.ruleId], nowMs);
  }
  return outcome;
}

async function openOnce(
  db: Database,
  request: RuleRequest & { channelId: string | null },
  nowMs: number,
): Promise<Outcome<{ ruleId: string }, RuleRefusal>> {
  const { requestId, userId, channelId, draft, kinds = [] } = request;
  if (!channelId) {
    if (await findRuleOf(db.read, requestId, userId)) return done({ ruleId: requestId });
    return refuse((await ruleRefusalOf(db.read, request, nowMs)) ?? 'twitchNotLinked');
  }
  try {
    return await db.transaction(
      async (tx) => {
        // Checked first: the first submit may have used the last slot of the rule limit.
        if (await findRuleOf(tx, requestId, userId)) return done({ ruleId: requestId });
        await holdLock(tx, rulesLock(userId));
        const refused = (await ruleRefusalOf(tx, request, nowMs)) ?? weightRefusalOf(draft.type, kinds);
        if (refused) return refuse(refused);
        const rule = await insertRule(tx, { requestId, userId, channelId, draft }, nowMs);
        if (!rule) return refuse('requestUsed');
        await attachFirst(tx, { rule, kinds }, nowMs);
        if (request.by) await reportGiving(tx, request.by, nowMs);
        return done({ ruleId: requestId });
      },
      { lock: channelLock(channelId) },
    );
  } catch (error) {
    // A new rule has no items yet, so a uniqueness error means that an item has a reward of another rule.
    if (kinds.length > 0 && isUniqueViolation(error)) return refuse('notEnough');
    throw error;
  }
}

async function attachFirst(
  tx: ChannelTx,
  { rule, kinds }: { rule: Rule; kinds: readonly AttachedKind[] },
  nowMs: number,
): Promise<void> {
  if (kinds.length === 0) return;
  const held = await holdLock(tx, itemsLock(rule.ownerId));
  await attachKinds(tx, held, { rule, kinds }, nowMs);
}

export interface RuleRequest {
  requestId: string;
  userId: string;
  /** Null or omitted: the owner's own channel. */
  channelId?: string | null;
  draft: RuleDraft;
  /** The rewards it starts with. */
  kinds?: readonly AttachedKind[];
  /** The credential that gave the caller access: see `reportGiving`. */
  by?: Credential | null;
  /** The operator's setting; not allowed if omitted. */
  paidDrawsAllowed?: boolean;
}

/** On their own channel the owner is the broadcaster and is shown what to fix. */
const obstacles: Record<'own' | 'elsewhere', Record<ChannelBlocker, RuleRefusal>> = {
  own: {
    twitchNotLinked: 'twitchNotLinked',
    notAdmitted: 'notAdmitted',
    broadcasterMissing: 'twitchNotLinked',
    channelMissing: 'channelMissing',
    broadcasterRestricted: 'twitchRestricted',
    permissionsMissing: 'twitchPermissionsMissing',
    pointsPermissionMissing: 'pointsPermissionMissing',
  },
  elsewhere: {
    twitchNotLinked: 'twitchNotLinked',
    notAdmitted: 'notAdmitted',
    broadcasterMissing: 'channelUnavailable',
    channelMissing: 'channelMissing',
    broadcasterRestricted: 'channelUnavailable',
    permissionsMissing: 'channelUnavailable',
    pointsPermissionMissing: 'channelUnavailable',
  },
};

/**
 * Returns why such a rule cannot be created now, or null. Checked before the owner confirms, and again on creation.
 */
export async function ruleRefusalOf(
  q: Reader,
  request: Omit<RuleRequest, 'requestId'>,
  nowMs: number,
): Promise<RuleRefusal | null> {
  const { userId, draft } = request;
  if (hasNoConditions(draft, requiredColumns)) return 'noCondition';
  const impossible = impossibleIn(draft);
  if (impossible) return impossible;
  if (await findFreeze(q, { userId })) return 'accountFrozen';
  if (isPaidDraw(draft, paidConditions) && !request.paidDrawsAllowed) return 'paidDraw';
  const ownChannel = await findChannelOf(q, userId);
  const channelId = request.channelId ?? ownChannel;
  if (!channelId) return 'twitchNotLinked';
  const elsewhere = channelId !== ownChannel;
  const asksPoints = !elsewhere && asksFor(draft, channelPoints);
  const obstacle = await channelBlocker(q, { channelId, userId, asksPoints });
  if (obstacle) return obstacles[elsewhere ? 'elsewhere' : 'own'][obstacle];
  const unfit = elsewhere && refusedElsewhere(draft);
  if (unfit) return unfit;
  const [steam] = await q.select().from(steamAccounts).where(eq(steamAccounts.userId, userId));
  if (!steam) return 'steamNotLinked';
  const limits = await limitsOf(q, userId, nowMs);
  if (elsewhere && !limits.otherChannels) return 'otherChannelsLimit';
  return (await countRules(q, userId)) >= limits.rules ? 'ruleLimit' : null;
}

type Rule = typeof rules.$inferSelect;

/** Returns null if there already is a rule with this id. */
async function insertRule(
  tx: ChannelTx,
  {
    requestId,
    userId,
    channelId,
    draft,
  }: { requestId: string; userId: string; channelId: string; draft: RuleDraft },
  nowMs: number,
): Promise<Rule | null> {
  const [rule] = await tx
    .insert(rules)
    .values({
      ...draft,
      id: requestId,
      ownerId: userId,
      channelId,
      seed: randomBytes(32).toString('hex'),
      sendDelayHours: (await getSendDelay(tx, userId, nowMs)).hours,
      createdAtMs: nowMs,
    })
    .onConflictDoNothing({ target: rules.id })
    .returning();
  if (!rule) return null;
  await openRule(tx, rule, nowMs);
  await announce(tx, [{ userId, kind: 'rule.changed', subjectId: rule.id }], nowMs);
  return rule;
}
