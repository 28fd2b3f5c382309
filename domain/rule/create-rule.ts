import { randomBytes } from 'node:crypto';
import { and, count, eq, ne } from 'drizzle-orm';
import { type Database, isUniqueViolation, type Tx } from '#db/database.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { type RuleType, rules } from '#db/schema/rule.ts';
import { streamerScopes } from '#domain/account/twitch-scopes.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { asksNothing, type Conditions } from '#domain/rule/conditions.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { qualify } from '#domain/rule/qualify.ts';
import { limitsOf } from '#domain/subscription/limits-of.ts';
import { watchForRule } from '#domain/watch-time/look-at.ts';

export const ruleBounds = {
  nameLength: { least: 1, most: 80 },
  followDays: { least: 1, most: 3650 },
  watchMinutes: { least: 1, most: 60 * 24 * 365 },
  /** Twitch's own bounds for the cost of a custom reward. */
  pointsCost: { least: 1, most: 2_000_000 },
  claimTimeoutHours: { least: 1, most: 336 },
} as const;

export interface RuleDraft extends Conditions {
  name: string;
  type: RuleType;
  claimTimeoutHours: number;
}

export type RuleRefusal =
  | 'noCondition'
  | 'twitchNotLinked'
  | 'twitchRestricted'
  | 'twitchPermissionsMissing'
  | 'steamNotLinked'
  | 'ruleLimit'
  /** This request's id is that of somebody else's rule. */
  | 'requestUsed';

/**
 * A streamer opens a rule on the own channel. A rule that counts watch time from its beginning takes everyone's total
 * as baseline; one that counts all time, or following alone, finds who meets it already. `requestId` becomes the rule's
 * id and makes a second submit answer the first. The draft's bounds were checked by its form.
 */
export async function createRule(
  database: Database,
  request: { requestId: string; userId: string; draft: RuleDraft },
  nowMs: number,
): Promise<Outcome<{ ruleId: string }, RuleRefusal>> {
  const { requestId, userId, draft } = request;
  if (asksNothing(draft)) return refuse('noCondition');
  const channelId = await channelOf(database, userId);
  try {
    return await database.transaction(
      async (tx) => {
        // Asked first: what the first submit opened may be the last rule that there is room for.
        if (await findRuleOf(tx, requestId, userId)) return done({ ruleId: requestId });
        const refused = await refusalFor(tx, userId);
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

async function channelOf(database: Database, userId: string): Promise<string | null> {
  const [twitch] = await database.read
    .select({ id: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.userId, userId));
  return twitch?.id ?? null;
}

async function refusalFor(tx: Tx, userId: string): Promise<RuleRefusal | null> {
  const [twitch] = await tx.select().from(twitchAccounts).where(eq(twitchAccounts.userId, userId));
  if (!twitch) return 'twitchNotLinked';
  if (twitch.state === 'restricted') return 'twitchRestricted';
  if (streamerScopes.some((scope) => !twitch.scopes.includes(scope))) return 'twitchPermissionsMissing';
  const [steam] = await tx.select().from(steamAccounts).where(eq(steamAccounts.userId, userId));
  if (!steam) return 'steamNotLinked';
  const [open] = await tx
    .select({ rules: count() })
    .from(rules)
    .where(and(eq(rules.ownerId, userId), ne(rules.state, 'closed')));
  const { rules: most } = await limitsOf(tx, userId);
  return Number(open?.rules ?? 0) >= most ? 'ruleLimit' : null;
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
  await watchForRule(tx, rule);
  await qualify(tx, { rules: eq(rules.id, rule.id) }, nowMs);
  await announce(tx, [{ userId, kind: 'rule.changed', subjectId: rule.id }], nowMs);
}
