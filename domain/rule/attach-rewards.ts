import { type Database, holdLock, isUniqueViolation } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import type { RuleType } from '#db/schema/rule.ts';
import { insertManyInto } from '#db/write.ts';
import { recordPoolChanges } from '#domain/draw/pool-changes.ts';
import { reportGiving } from '#domain/identity/access/report-giving.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { kindNameOf } from '#domain/item/kind-name.ts';
import { exactFirst, type KindAmount, oldestOfKind } from '#domain/item/oldest-of-kind.ts';
import { heldBackAfterChange } from '#domain/item/steam-change.ts';
import { newId } from '#domain/kernel/id.ts';
import { type ChannelTx, channelLock, type ItemsTx, itemsLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { firstTime } from '#domain/outbox/first-time.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { countAttachedRewards } from '#domain/plan/usage-counts.ts';
import { MAX_OF_ROUND, serveInRounds, serveWaiting } from '#domain/reward/serve-waiting.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { oneEach, withinBounds, writeWeights } from '#domain/rule/set-kind-weights.ts';

export type AttachRefusal =
  | 'notFound'
  | 'ruleClosed'
  | 'nothingPicked'
  /** A weight was given for a rule that is not random. */
  | 'notRandom'
  | 'weightOutOfBounds'
  /** One kind was given two weights. */
  | 'weightsDiffer'
  | 'rewardLimit'
  /** Another Steam account deposited some of them, and the owner's own was connected in the last seven days. */
  | 'steamChangedRecently'
  /** The owner disowned what was done in their account, and has not ended the freeze yet. */
  | 'accountFrozen'
  | 'notEnough';

/**
 * A quantity of one kind. On a random rule `weight` sets the kind's new draw weight; without it the weight stays the
 * same.
 */
export type AttachedKind = KindAmount & { weight?: number | undefined };

/**
 * Attaches items to a rule by kind and quantity and serves its waiting list. Only items that are held,
 * unlocked and on no other rule count; if any kind has too few, nothing is attached. Weights are stored
 * before viewers are served. A repeated `requestId` attaches nothing, but serves the viewers whom the first
 * request had not reached.
 */
export async function attachRewards(
  db: Database,
  request: {
    requestId?: string;
    ruleId: string;
    userId: string;
    kinds: readonly AttachedKind[];
    /** The credential that gave the caller access: see `reportGiving`. */
    by?: Credential | null;
  },
  nowMs: number,
): Promise<Outcome<{ attached: number }, AttachRefusal>> {
  const { ruleId, userId, kinds, requestId = newId(nowMs) } = request;
  const rule = await findRuleOf(db.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  const wanted = kinds.filter((kind) => kind.quantity > 0);
  if (wanted.length === 0) return refuse('nothingPicked');
  const unfit = weightRefusalOf(rule.type, wanted);
  if (unfit) return refuse(unfit);
  const answer = await attachOnce(db, rule.channelId, { ...request, requestId, wanted }, nowMs);
  if (!answer.ok) return answer;
  await serveInRounds(db, rule.channelId, answer.left, nowMs);
  return done({ attached: answer.attached });
}

interface AttachRequest {
  requestId: string;
  ruleId: string;
  userId: string;
  by?: Credential | null;
  wanted: readonly AttachedKind[];
}

async function attachOnce(
  db: Database,
  channelId: string,
  request: AttachRequest,
  nowMs: number,
): Promise<Outcome<Attached, AttachRefusal>> {
  type Answer = Outcome<Attached, AttachRefusal>;
  try {
    return await refusable<Answer, AttachRefusal>(() =>
      db.transaction((tx) => attach(tx, request, nowMs), { lock: channelLock(channelId) }),
    );
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('notEnough');
    throw error;
  }
}

/** The number of attached rewards, and the rules that are still to be served after the commit. */
interface Attached {
  attached: number;
  left: readonly string[];
}

async function attach(
  tx: ChannelTx,
  request: AttachRequest,
  nowMs: number,
): Promise<Outcome<Attached, AttachRefusal>> {
  const { requestId, ruleId, userId, by, wanted } = request;
  // Check again under the channel lock: the owner may have closed the rule in the meantime.
  const rule = await findRuleOf(tx, ruleId, userId);
  if (!rule || rule.state === 'closed') return refuse('ruleClosed');
  const held = await holdLock(tx, itemsLock(userId));
  if (!(await firstTime(tx, { requestId, userId, kind: 'rule.changed', subjectId: ruleId }, nowMs)))
    // The first request may have been interrupted before it promised all of them.
    return done({ attached: 0, left: [ruleId] });
  await attachKinds(tx, held, { rule, kinds: wanted }, nowMs);
  await announce(tx, [{ userId, kind: 'rule.changed', subjectId: ruleId }], nowMs);
  if (by) await reportGiving(tx, by, nowMs);
  const attached = wanted.reduce((sum, kind) => sum + kind.quantity, 0);
  // Attaching this many takes long by itself, so they are promised in later transactions.
  if (attached > MAX_OF_ROUND) return done({ attached, left: [ruleId] });
  return done({ attached, left: (await serveWaiting(tx, [ruleId], nowMs)).left });
}

type AttachedRule = { id: string; ownerId: string; channelId: string; lineId: string | null };

/**
 * Makes items free rewards of the rule in the caller's transaction, which serves nobody. Throws `Refused`
 * with `accountFrozen`, `rewardLimit`, `steamChangedRecently`, `notEnough` or `weightsDiffer`, so that the
 * whole transaction is rolled back.
 */
export async function attachKinds(
  tx: ChannelTx,
  held: ItemsTx,
  { rule, kinds }: { rule: AttachedRule; kinds: readonly AttachedKind[] },
  nowMs: number,
): Promise<void> {
  const { id, ownerId } = rule;
  if (await findFreeze(tx, { userId: ownerId })) throw new Refused<AttachRefusal>('accountFrozen');
  const total = kinds.reduce((sum, kind) => sum + kind.quantity, 0);
  const { rewardsPerMonth, rewardsMonth } = await limitsOf(tx, ownerId, nowMs);
  if ((await countAttachedRewards(tx, ownerId, rewardsMonth)) + total > rewardsPerMonth)
    throw new Refused<AttachRefusal>('rewardLimit');
  const weights = oneEach(weightsOf(kinds));
  if (!weights) throw new Refused<AttachRefusal>('weightsDiffer');
  for (const kind of exactFirst(kinds)) await assign(held, rule, kind, nowMs);
  await recordPoolChanges(tx, { ruleId: id, changes: kinds.map(addedOf) }, nowMs);
  await writeWeights(tx, { ruleId: id, weights }, nowMs);
}

/** Returns why these weights cannot go with a rule of this type, or null. */
export function weightRefusalOf(
  type: RuleType,
  kinds: readonly AttachedKind[],
): 'notRandom' | 'weightOutOfBounds' | 'weightsDiffer' | null {
  const weights = weightsOf(kinds);
  if (weights.length > 0 && type !== 'random') return 'notRandom';
  if (!weights.every(withinBounds)) return 'weightOutOfBounds';
  return oneEach(weights) ? null : 'weightsDiffer';
}

const addedOf = (kind: KindAmount) => ({
  appId: kind.appId,
  kindName: kindNameOf(kind),
  cause: 'added' as const,
  added: kind.quantity,
});

const insertRewards = insertManyInto(rewards, 'rewards');

/** Makes the streamer's oldest items of a kind free rewards of the rule. */
async function assign(
  tx: ItemsTx,
  { id: ruleId, ownerId, channelId, lineId }: AttachedRule,
  kind: KindAmount,
  nowMs: number,
): Promise<void> {
  const free = await oldestOfKind(tx, ownerId, kind, nowMs);
  if (free.length < kind.quantity) throw new Refused<AttachRefusal>('notEnough');
  const itemIds = free.map(({ id }) => id);
  if (await heldBackAfterChange(tx, { ownerId, itemIds }, nowMs))
    throw new Refused<AttachRefusal>('steamChangedRecently');
  const rows = itemIds.map((itemId) => {
    const id = newId(nowMs);
    const place = { ruleId, lineId, ownerId, channelId, position: id };
    return { id, ...place, itemId, createdAtMs: nowMs, attachedAtMs: nowMs };
  });
  await insertRewards(tx, rows);
}

const weightsOf = (kinds: readonly AttachedKind[]) =>
  kinds.flatMap(({ appId, marketHashName, traits, weight }) =>
    weight === undefined ? [] : [{ appId, marketHashName, traits, weight }],
  );
