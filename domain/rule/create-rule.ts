import { randomBytes } from 'node:crypto';
import { and, count, eq } from 'drizzle-orm';
import { type Database, holdLock, isUniqueViolation, type Reader, type Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { liveRuleStates, type RuleType, rules } from '#db/schema/rule.ts';
import { type ChannelBlocker, channelBlocker } from '#domain/channel/channel-blocker.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import {
  type Conditions,
  conditionBounds,
  hasNoConditions,
  hasPaidCondition,
} from '#domain/rule/conditions/conditions.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { limitsOf } from '#domain/subscription/limits-of.ts';
import { startRuleChecks } from '#domain/watch-time/next-check.ts';

export const ruleBounds = {
  nameLength: { least: 1, most: 80 },
  ...conditionBounds,
  claimTimeoutHours: { least: 1, most: 336 },
} as const;

export interface RuleDraft extends Conditions {
  name: string;
  type: RuleType;
  claimTimeoutHours: number;
}

export type RuleRefusal =
  | 'noCondition'
  /** A random reward behind a condition that costs something, where the operator does not allow that. */
  | 'paidDraw'
  | 'twitchNotLinked'
  | 'twitchRestricted'
  | 'twitchPermissionsMissing'
  | 'steamNotLinked'
  | 'ruleLimit'
  /** The owner's plan has no rules on other channels. */
  | 'otherChannelsLimit'
  /** Another's channel that does not admit the owner. */
  | 'notAdmitted'
  /** Another's channel that cannot be read of Twitch now. */
  | 'channelUnavailable'
  /** Custom rewards are made on the own channel only. */
  | 'pointsElsewhere'
  /** This request's id is that of somebody else's rule. */
  | 'requestUsed';

/**
 * A streamer opens a rule on the own channel, or on another that admits them. A rule that counts watch time from its
 * beginning takes everyone's total as baseline; one that counts all time, or following alone, finds who meets it
 * already, once it is open. `requestId` becomes the rule's id and makes a second submit answer the first. The draft's
 * bounds were checked by its form.
 */
export async function createRule(
  database: Database,
  request: RuleRequest,
  nowMs: number,
): Promise<Outcome<{ ruleId: string }, RuleRefusal>> {
  const channelId = request.channelId ?? (await findChannelOf(database.read, request.userId));
  const outcome = await openOnce(database, { ...request, channelId }, nowMs);
  // Asked again, it goes on with what an interrupted first submit left.
  if (outcome.ok) await evaluateRules(database, [outcome.ruleId], nowMs);
  return outcome;
}

async function openOnce(
  database: Database,
  request: RuleRequest & { channelId: string | null },
  nowMs: number,
): Promise<Outcome<{ ruleId: string }, RuleRefusal>> {
  const { requestId, userId, channelId, draft } = request;
  try {
    return await database.transaction(
      async (tx) => {
        // Asked first: what the first submit opened may be the last rule that there is room for.
        if (await findRuleOf(tx, requestId, userId)) return done({ ruleId: requestId });
        // Somebody who opens rules on two channels at once has one limit for both.
        await holdLock(tx, `rules:${userId}`);
        const refused = await ruleRefusalOf(tx, request);
        if (refused || !channelId) return refuse(refused ?? 'twitchNotLinked');
        await openRule(tx, { requestId, userId, channelId, draft }, nowMs);
        return done({ ruleId: requestId });
      },
      { lock: channelLock(channelId ?? userId) },
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return refuse('requestUsed');
  }
}

export interface RuleRequest {
  requestId: string;
  userId: string;
  /** Null or left out: the own channel. */
  channelId?: string | null;
  draft: RuleDraft;
  /** What the operator decided for this site; left out: no. */
  paidDrawsAllowed?: boolean;
}

/** A random reward for what costs money or points: a lottery in many places, and against Twitch's rules for channel points. */
export const isPaidDraw = (draft: Conditions & Pick<RuleDraft, 'type'>): boolean =>
  draft.type === 'random' && hasPaidCondition(draft);

/** On the own channel the broadcaster is the one who asks, and learns what to mend. */
const obstacles: Record<'own' | 'elsewhere', Record<ChannelBlocker, RuleRefusal>> = {
  own: {
    twitchNotLinked: 'twitchNotLinked',
    notAdmitted: 'notAdmitted',
    broadcasterGone: 'twitchNotLinked',
    broadcasterRestricted: 'twitchRestricted',
    permissionsMissing: 'twitchPermissionsMissing',
  },
  elsewhere: {
    twitchNotLinked: 'twitchNotLinked',
    notAdmitted: 'notAdmitted',
    broadcasterGone: 'channelUnavailable',
    broadcasterRestricted: 'channelUnavailable',
    permissionsMissing: 'channelUnavailable',
  },
};

/** Why such a rule could not be opened now, or null: asked before somebody confirms it, and again when they do. */
export async function ruleRefusalOf(
  q: Reader,
  request: Omit<RuleRequest, 'requestId'>,
): Promise<RuleRefusal | null> {
  const { userId, draft } = request;
  if (hasNoConditions(draft)) return 'noCondition';
  if (isPaidDraw(draft) && !request.paidDrawsAllowed) return 'paidDraw';
  const ownChannel = await findChannelOf(q, userId);
  const channelId = request.channelId ?? ownChannel;
  if (!channelId) return 'twitchNotLinked';
  const elsewhere = channelId !== ownChannel;
  const obstacle = await channelBlocker(q, { channelId, userId });
  if (obstacle) return obstacles[elsewhere ? 'elsewhere' : 'own'][obstacle];
  if (elsewhere && draft.pointsCost !== null) return 'pointsElsewhere';
  const [steam] = await q.select().from(steamAccounts).where(eq(steamAccounts.userId, userId));
  if (!steam) return 'steamNotLinked';
  const [open] = await q
    .select({ rules: count() })
    .from(rules)
    .where(and(eq(rules.ownerId, userId), within(rules.state, liveRuleStates)));
  const limits = await limitsOf(q, userId);
  if (elsewhere && !limits.otherChannels) return 'otherChannelsLimit';
  return Number(open?.rules ?? 0) >= limits.rules ? 'ruleLimit' : null;
}

async function openRule(
  tx: Tx,
  {
    requestId,
    userId,
    channelId,
    draft,
  }: { requestId: string; userId: string; channelId: string; draft: RuleDraft },
  nowMs: number,
): Promise<void> {
  const [rule] = await tx
    .insert(rules)
    .values({
      ...draft,
      id: requestId,
      ownerId: userId,
      channelId,
      seed: randomBytes(32).toString('hex'),
      createdAtMs: nowMs,
    })
    .returning();
  if (!rule) throw new Error(`rule ${requestId} was not written`);
  await startRuleChecks(tx, rule);
  await announce(tx, [{ userId, kind: 'rule.changed', subjectId: rule.id }], nowMs);
}
