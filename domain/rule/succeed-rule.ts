import { randomBytes } from 'node:crypto';
import { and, asc, eq, sql } from 'drizzle-orm';
import { type Database, holdLock } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { kindWeights } from '#db/schema/draw.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { insertManyInto } from '#db/write.ts';
import { conditionsOf } from '#domain/condition/conditions.ts';
import { reportGiving } from '#domain/identity/access/report-giving.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { getSendDelay } from '#domain/identity/send-delay.ts';
import { newId } from '#domain/kernel/id.ts';
import { type ChannelTx, channelLock, itemsLock, rulesLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { finishChecks } from '#domain/rule/check-list.ts';
import { closeRuleIn } from '#domain/rule/close-rule.ts';
import {
  type CorrectionRefusal,
  type CorrectionRequest,
  correctionRefusalOf,
  wasPromised,
} from '#domain/rule/correct-rule.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { finishOpening, openRule } from '#domain/rule/open-rule.ts';

export type SuccessionRefusal =
  | Exclude<CorrectionRefusal, 'ruleHarder'>
  /** It is paused, and not by its owner: a successor would be open. */
  | 'rulePaused'
  /** The rule itself can be corrected like this. */
  | 'notHarder';

export type SuccessionRequest = CorrectionRequest & {
  /** True if whoever was promised a reward can be promised another by the new rule. */
  again: boolean;
};

type Rule = typeof rules.$inferSelect;

/**
 * Opens a harder rule in place of one that has promised rewards, and closes that. Its promises stand and its free
 * rewards move over. Everybody keeps what counted so far; who waits keeps their place if they meet the new rule. Nobody
 * who was promised a reward by it, or by one before it, is promised another, unless `again` says so. That is decided in
 * one transaction; on a large channel the new rule stays paused until counts and places are carried over, and promises
 * nothing until the places are checked. An owner's pause goes on
 * with the new rule. `requestId` becomes the new rule's id: repeating it opens no other one, but goes on with what the
 * first request had not finished.
 */
export async function succeedRule(
  db: Database,
  request: SuccessionRequest,
  nowMs: number,
): Promise<Outcome<{ ruleId: string }, SuccessionRefusal>> {
  const { requestId, ruleId, userId } = request;
  const rule = await findRuleOf(db.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  const lock = channelLock(rule.channelId);
  const outcome = await db.transaction((tx) => succeed(tx, request, nowMs), { lock });
  if (!outcome.ok) return outcome;
  await finishOpening(db, rule.channelId, nowMs);
  const checked = await finishChecks(db, rule.channelId, nowMs);
  await evaluateRules(db, [...new Set([...checked, requestId])], nowMs);
  return outcome;
}

async function succeed(
  tx: ChannelTx,
  request: SuccessionRequest,
  nowMs: number,
): Promise<Outcome<{ ruleId: string }, SuccessionRefusal>> {
  const { requestId, ruleId, userId, by } = request;
  const rule = await findRuleOf(tx, ruleId, userId);
  if (!rule) return refuse('notFound');
  const known = await findRuleOf(tx, requestId, userId);
  if (known) return known.succeedsId === ruleId ? done({ ruleId: requestId }) : refuse('notFound');
  const refused = await refusalOf(tx, rule, request);
  if (refused) return refuse(refused);
  await holdLock(tx, rulesLock(userId));
  await holdLock(tx, itemsLock(userId));
  const successor = await insertSuccessor(tx, rule, request, nowMs);
  if (!successor) return refuse('notFound');
  await openRule(tx, successor, nowMs);
  await moveRewards(tx, { from: rule, to: successor }, nowMs);
  const changed = { userId, kind: 'rule.changed' as const, subjectId: requestId };
  await announce(tx, [changed], nowMs);
  if (by) await reportGiving(tx, by, nowMs);
  return done({ ruleId: requestId });
}

async function refusalOf(
  tx: ChannelTx,
  rule: Rule,
  { userId, wanted, paidDrawsAllowed = false }: SuccessionRequest,
): Promise<SuccessionRefusal | null> {
  const isPromised = await wasPromised(tx, rule.id);
  const refused = correctionRefusalOf(rule, wanted, { isPromised, paidDrawsAllowed });
  if (refused !== 'ruleHarder') return refused ?? 'notHarder';
  if (rule.state !== 'open' && rule.pauseReason !== 'owner') return 'rulePaused';
  return (await findFreeze(tx, { userId })) ? 'accountFrozen' : null;
}

/** Returns null if there is a rule of somebody else with this id. */
async function insertSuccessor(
  tx: ChannelTx,
  rule: Rule,
  { requestId, wanted, again }: SuccessionRequest,
  nowMs: number,
): Promise<Rule | null> {
  const { ownerId, channelId, pausedAtMs, resumesAtMs, remindsAtMs } = rule;
  const { name, type, claimTimeoutHours } = wanted;
  const [successor] = await tx
    .insert(rules)
    .values({
      ...{ id: requestId, ownerId, channelId, name, type, claimTimeoutHours, ...conditionsOf(wanted) },
      succeedsId: rule.id,
      lineId: again ? null : (rule.lineId ?? rule.id),
      seed: randomBytes(32).toString('hex'),
      sendDelayHours: (await getSendDelay(tx, ownerId, nowMs)).hours,
      createdAtMs: nowMs,
      ...{ pausedAtMs, resumesAtMs, remindsAtMs },
      // Its list is that of the earlier rule, once that is carried over.
      checkAfter: '',
    })
    .onConflictDoNothing({ target: rules.id })
    .returning();
  return successor ?? null;
}

const insertRewards = insertManyInto(rewards, 'rewards');

/** Closes the earlier rule and gives the items of its free rewards to the new one, in their order, with their weights. */
async function moveRewards(
  tx: ChannelTx,
  { from, to }: { from: Rule; to: Rule },
  nowMs: number,
): Promise<void> {
  const free = await tx
    .select({ itemId: rewards.itemId })
    .from(rewards)
    .where(and(eq(rewards.ruleId, from.id), is(rewards.state, 'free')))
    .orderBy(asc(rewards.position), asc(rewards.id));
  await closeRuleIn(tx, from.id, nowMs);
  const { id: ruleId, lineId, ownerId, channelId } = to;
  const rows = free.map(({ itemId }) => {
    const id = newId(nowMs);
    return { id, ruleId, lineId, ownerId, channelId, itemId, position: id, createdAtMs: nowMs };
  });
  if (rows.length > 0) await insertRewards(tx, rows);
  const { appId, kindName, weight } = kindWeights;
  await tx.insert(kindWeights).select(
    tx
      .select({ ruleId: sql`cast(${ruleId} as text)`.as('rule_id'), appId, kindName, weight })
      .from(kindWeights)
      .where(eq(kindWeights.ruleId, from.id)) as never,
  );
}
