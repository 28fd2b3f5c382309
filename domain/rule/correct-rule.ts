import { and, desc, eq, isNotNull, max } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { draws } from '#db/schema/draw.ts';
import { rewards } from '#db/schema/reward.ts';
import { type CorrectedValues, type RuleType, ruleCorrections, rules } from '#db/schema/rule.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { asksFor, type Counting } from '#domain/condition/condition.ts';
import {
  areEased,
  type Conditions,
  conditionColumns,
  conditionsOf,
  type Impossible,
  impossibleIn,
  paidConditions,
  requiredColumns,
} from '#domain/condition/conditions.ts';
import { hasNoConditions } from '#domain/condition/no-conditions.ts';
import { reportGiving } from '#domain/identity/access/report-giving.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hour } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { lengthenClaimWindows } from '#domain/reward/lengthen-claim-windows.ts';
import { beginCounting, countedAnew } from '#domain/rule/begin-counting.ts';
import { finishChecks } from '#domain/rule/check-list.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { lowerChecksOf } from '#domain/rule/lower-checks.ts';
import { isPaidDraw } from '#domain/rule/paid-draw.ts';

/** The values that a correction may change. The channel and the rewards of a rule stay as they are. */
export type Correction = Conditions & { name: string; type: RuleType; claimTimeoutHours: number };

export type CorrectionRefusal =
  | 'notFound'
  | 'ruleClosed'
  /** The watch time of its channel's viewers is still being taken down. */
  | 'ruleOpening'
  | 'accountFrozen'
  | 'noCondition'
  /** Nobody could meet the conditions. */
  | Impossible
  /** It would draw a reward for a paid condition, which the operator does not allow. */
  | 'paidDraw'
  /** Channel points are asked for, or no longer: that needs a custom reward on Twitch, or leaves one behind. */
  | 'pointsFixed'
  /** A reward was promised, and somebody would have less time, more to do, or another kind of draw. */
  | 'ruleHarder'
  | 'nothingCorrected';

type Rule = typeof rules.$inferSelect;

/**
 * Returns the values that differ, before and after; null if none does. Without time to watch, from when it counts stays
 * as it is.
 */
function correctedIn(
  rule: Correction,
  wanted: Correction,
): { before: CorrectedValues; after: CorrectedValues } | null {
  const { name, type, claimTimeoutHours } = wanted;
  const watchScope = wanted.watchMinutes === null ? rule.watchScope : wanted.watchScope;
  const all = { name, type, claimTimeoutHours, ...conditionsOf(wanted), watchScope };
  const changed = (Object.keys(all) as (keyof typeof all)[]).filter((key) => rule[key] !== all[key]);
  if (changed.length === 0) return null;
  const among = (values: Correction) => Object.fromEntries(changed.map((key) => [key, values[key]]));
  return { before: among(rule), after: among({ ...wanted, watchScope }) };
}

/** The facts besides the rule that a correction depends on. */
export interface CorrectionTerms {
  /** True if a reward of the rule was ever promised: from then on it can only become easier. */
  isPromised: boolean;
  /** The operator's setting; not allowed if omitted. */
  paidDrawsAllowed?: boolean;
}

/** Returns why a rule cannot be corrected like this, or null. The form has checked the bounds. */
export function correctionRefusalOf(
  rule: Correction & Pick<Rule, 'state' | 'pauseReason'>,
  wanted: Correction,
  { isPromised, paidDrawsAllowed = false }: CorrectionTerms,
): Exclude<CorrectionRefusal, 'notFound'> | null {
  if (rule.state === 'closed') return 'ruleClosed';
  if (rule.pauseReason === 'opening') return 'ruleOpening';
  if (hasNoConditions(wanted, requiredColumns)) return 'noCondition';
  const impossible = impossibleIn(wanted);
  if (impossible) return impossible;
  if (asksFor(rule, channelPoints) !== asksFor(wanted, channelPoints)) return 'pointsFixed';
  if (!paidDrawsAllowed && isPaidDraw(wanted, paidConditions) && !isPaidDraw(rule, paidConditions))
    return 'paidDraw';
  if (isPromised && isHarder(rule, wanted)) return 'ruleHarder';
  return correctedIn(rule, wanted) ? null : 'nothingCorrected';
}

const isHarder = (rule: Correction, wanted: Correction): boolean =>
  rule.type !== wanted.type || wanted.claimTimeoutHours < rule.claimTimeoutHours || !areEased(rule, wanted);

/** Returns whether a reward of a rule was ever promised to anybody. */
export async function wasPromised(q: Reader, ruleId: string): Promise<boolean> {
  const [one] = await q
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.ruleId, ruleId), isNotNull(rewards.twitchId)))
    .limit(1);
  return one !== undefined;
}

export interface CorrectionRequest {
  requestId: string;
  ruleId: string;
  userId: string;
  wanted: Correction;
  /** The credential that gave the caller access: see `reportGiving`. */
  by?: Credential | null;
  paidDrawsAllowed?: boolean;
}

/** A correction that was made, now or by an earlier request with the same id. */
type Corrected = { repeated: boolean };

/**
 * Corrects a rule in place. Until its first promise anything may change, except whether it asks for channel
 * points; afterwards its name, a longer time to claim, and conditions that become easier. Everybody keeps what
 * counted so far, and windows of promises become longer too. Who waits keeps their place if they still meet the
 * rule; the list is checked after the commit, and nothing is promised until then. What was not counted before counts
 * from the correction on. The correction is published with the old and
 * the new values. Afterwards those who meet the rule now are enlisted, and served if it is open. `requestId`
 * becomes the correction's id: repeating it corrects nothing, but goes on with what the first request had not
 * finished. If nobody repeats it, the channel's hourly sweep does.
 */
export async function correctRule(
  db: Database,
  request: CorrectionRequest,
  nowMs: number,
): Promise<Outcome<Corrected, CorrectionRefusal>> {
  const { ruleId, userId, wanted } = request;
  const rule = await findRuleOf(db.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  const anew = countedAnew(rule, wanted);
  if (anew.length > 0) {
    const refused = await refusalOf(db.read, rule, request);
    if (refused) return refuse(refused);
    await beginCounting(db, rule, wanted);
  }
  const lock = channelLock(rule.channelId);
  const outcome = await db.transaction((tx) => correct(tx, { ...request, anew }, nowMs), { lock });
  if (!outcome.ok) return outcome;
  if (outcome.conditions) {
    const checked = await finishChecks(db, rule.channelId, nowMs);
    await lowerChecksOf(db, ruleId);
    await evaluateRules(db, [...new Set([...checked, ruleId])], nowMs);
  }
  return done({ repeated: outcome.repeated });
}

const refusalOf = async (q: Reader, rule: Rule, { wanted, paidDrawsAllowed }: CorrectionRequest) =>
  correctionRefusalOf(rule, wanted, {
    isPromised: await wasPromised(q, rule.id),
    ...(paidDrawsAllowed && { paidDrawsAllowed }),
  });

async function correct(
  tx: ChannelTx,
  request: CorrectionRequest & { anew: readonly Counting[] },
  nowMs: number,
): Promise<Outcome<Corrected & { conditions: boolean }, CorrectionRefusal>> {
  const { requestId, ruleId, userId, wanted, by, anew } = request;
  // Read again under the channel's lock: it may have been corrected or closed meanwhile.
  const rule = await findRuleOf(tx, ruleId, userId);
  if (!rule) return refuse('notFound');
  const known = await findCorrection(tx, requestId);
  if (known)
    return known.ruleId === ruleId
      ? done({ repeated: true, conditions: hasConditions(known.after) })
      : refuse('notFound');
  const refused = await refusalOf(tx, rule, request);
  if (refused) return refuse(refused);
  if (countedAnew(rule, wanted).some((counting) => !anew.includes(counting))) return refuse('ruleOpening');
  if (await findFreeze(tx, { userId })) return refuse('accountFrozen');
  const values = correctedIn(rule, wanted);
  if (!values) return refuse('nothingCorrected');
  // Nobody waits on a rule for channel points: who finds no free reward gets them back.
  const isChecked = !areEased(rule, wanted) && !asksFor(rule, channelPoints);
  await tx
    .update(rules)
    .set({ ...values.after, ...(isChecked && { checkAfter: '' }) })
    .where(eq(rules.id, ruleId));
  const longerMs = (wanted.claimTimeoutHours - rule.claimTimeoutHours) * hour;
  if (longerMs > 0) await lengthenClaimWindows(tx, { ruleId, longerMs }, nowMs);
  const afterDraw = await lastDrawOf(tx, ruleId);
  const atMs = await nextTimeOf(tx, ruleId, nowMs);
  await tx.insert(ruleCorrections).values({ id: requestId, ruleId, atMs, afterDraw, ...values });
  await announce(tx, [{ userId, kind: 'rule.changed', subjectId: ruleId }], nowMs);
  if (by) await reportGiving(tx, by, nowMs);
  return done({ repeated: false, conditions: hasConditions(values.after) });
}

/** Returns whether a correction changed what viewers have to do. */
const hasConditions = (values: CorrectedValues): boolean =>
  Object.keys(values).some((key) => key in conditionColumns);

async function findCorrection(tx: ChannelTx, id: string) {
  const [known] = await tx
    .select({ ruleId: ruleCorrections.ruleId, after: ruleCorrections.after })
    .from(ruleCorrections)
    .where(eq(ruleCorrections.id, id));
  return known;
}

/** The time of a rule's next correction: after the last one, because their times are their order. */
async function nextTimeOf(tx: ChannelTx, ruleId: string, nowMs: number): Promise<number> {
  const [last] = await tx
    .select({ atMs: max(ruleCorrections.atMs) })
    .from(ruleCorrections)
    .where(eq(ruleCorrections.ruleId, ruleId));
  return Math.max(nowMs, (last?.atMs ?? 0) + 1);
}

/** Draws are numbered without gaps. */
async function lastDrawOf(tx: ChannelTx, ruleId: string): Promise<number> {
  const [last] = await tx
    .select({ number: draws.number })
    .from(draws)
    .where(eq(draws.ruleId, ruleId))
    .orderBy(desc(draws.number))
    .limit(1);
  return last?.number ?? 0;
}
