import { randomBytes } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { type Database, holdLock, isUniqueViolation, type Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { attendances, watchTimes } from '#db/schema/channel.ts';
import { liveRaffleStates, raffles } from '#db/schema/raffle.ts';
import { rules } from '#db/schema/rule.ts';
import { type ChannelBlocker, channelBlocker } from '#domain/channel/channel-blocker.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { getChatCommands } from '#domain/channel/set-chat-commands.ts';
import { RAFFLE_COMMAND } from '#domain/chat/chat-commands.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { asksFor } from '#domain/condition/condition.ts';
import {
  type Conditions,
  type Impossible,
  impossibleIn,
  paidConditions,
} from '#domain/condition/conditions.ts';
import { reportGiving } from '#domain/identity/access/report-giving.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { getSendDelay } from '#domain/identity/send-delay.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import type { KindAmount } from '#domain/item/oldest-of-kind.ts';
import { type ChannelTx, channelLock, itemsLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refusable, refuse } from '#domain/kernel/outcome.ts';
import { minute } from '#domain/kernel/time.ts';
import { type AttachRefusal, attachKinds } from '#domain/rule/attach-rewards.ts';
import { isPaidDraw } from '#domain/rule/paid-draw.ts';
import { keywordKeyOf, parseKeyword } from './keyword.ts';

export const raffleBounds = {
  winners: { min: 1, max: 25 },
  minutes: { min: 1, max: 120 },
  winnersOutDays: { min: 0, max: 365 },
  claimTimeoutHours: { min: 1, max: 336 },
} as const;

export interface RaffleDraft {
  keyword: string;
  minutes: number;
  /** The item of each winner is one of this kind. */
  kind: Omit<KindAmount, 'quantity'>;
  winners: number;
  /** Conditions for entering; all null if everybody may. */
  conditions: Conditions;
  winnersOutDays: number;
  moderatorsMayEnter: boolean;
  claimTimeoutHours: number;
}

export type RaffleRefusal =
  | 'keywordUnfit'
  /** The bot answers a command of that name. */
  | 'keywordTaken'
  /** The channel has a raffle that is prepared or runs. */
  | 'raffleLive'
  /** Entering would cost channel points, or a subscription where the operator does not allow that. */
  | 'paidDraw'
  | 'steamNotLinked'
  /** It asks for what was never counted on the channel: nobody could enter. */
  | 'notCounted'
  | 'requestUsed'
  | ChannelBlocker
  | Impossible
  | Extract<AttachRefusal, 'rewardLimit' | 'steamChangedRecently' | 'accountFrozen' | 'notEnough'>;

export interface RaffleRequest {
  requestId: string;
  userId: string;
  draft: RaffleDraft;
  /** The credential that gave the caller access: see `reportGiving`. */
  by?: Credential | null;
  /** The operator's setting; not allowed if omitted. */
  paidDrawsAllowed?: boolean;
}

/**
 * Prepares a raffle on the streamer's own channel: its items become rewards of a closed rule, so that nothing else can
 * be promised them until it is over. `requestId` becomes its id, and repeating it returns the first result.
 */
export async function prepareRaffle(
  db: Database,
  request: RaffleRequest,
  nowMs: number,
): Promise<Outcome<{ raffleId: string }, RaffleRefusal>> {
  const channelId = await findChannelOf(db.read, request.userId);
  if (!channelId) return refuse('twitchNotLinked');
  type Answer = Outcome<{ raffleId: string }, RaffleRefusal>;
  try {
    return await refusable<Answer, RaffleRefusal>(() =>
      db.transaction((tx) => prepare(tx, { ...request, channelId }, nowMs), {
        lock: channelLock(channelId),
      }),
    );
  } catch (error) {
    // A uniqueness error means that an item has a reward by now.
    if (isUniqueViolation(error)) return refuse('notEnough');
    throw error;
  }
}

async function prepare(
  tx: ChannelTx,
  request: RaffleRequest & { channelId: string },
  nowMs: number,
): Promise<Outcome<{ raffleId: string }, RaffleRefusal>> {
  const { requestId, userId, channelId, draft, by } = request;
  const [known] = await tx.select().from(raffles).where(eq(raffles.id, requestId));
  if (known) return known.ownerId === userId ? done({ raffleId: requestId }) : refuse('requestUsed');
  const refused = await raffleRefusalOf(tx, request);
  if (refused) return refuse(refused);
  const keyword = parseKeyword(draft.keyword) ?? '';
  const rule = await insertRule(tx, { requestId, userId, channelId, draft, keyword }, nowMs);
  if (!rule) return refuse('requestUsed');
  await tx.insert(raffles).values({
    id: requestId,
    ruleId: rule.id,
    channelId,
    ownerId: userId,
    keyword,
    keywordKey: keywordKeyOf(keyword),
    winners: draft.winners,
    lengthMs: draft.minutes * minute,
    winnersOutDays: draft.winnersOutDays,
    moderatorsMayEnter: draft.moderatorsMayEnter,
    seed: randomBytes(32).toString('hex'),
    createdAtMs: nowMs,
  });
  const held = await holdLock(tx, itemsLock(userId));
  await attachKinds(tx, held, { rule, kinds: [{ ...draft.kind, quantity: draft.winners }] }, nowMs);
  if (by) await reportGiving(tx, by, nowMs);
  return done({ raffleId: requestId });
}

/** Returns why such a raffle cannot be prepared, or null. */
async function raffleRefusalOf(
  q: Reader,
  { userId, channelId, draft, paidDrawsAllowed = false }: RaffleRequest & { channelId: string },
): Promise<RaffleRefusal | null> {
  const { conditions } = draft;
  const keyword = parseKeyword(draft.keyword);
  if (!keyword) return 'keywordUnfit';
  const commands = Object.values(await getChatCommands(q, channelId));
  const names = [RAFFLE_COMMAND, ...commands.flatMap(({ name, isOn }) => (isOn ? [name] : []))];
  if (names.some((name) => keywordKeyOf(name) === keywordKeyOf(keyword))) return 'keywordTaken';
  // Points are spent before anybody wins, so no setting of the operator allows them.
  if (asksFor(conditions, channelPoints)) return 'paidDraw';
  if (!paidDrawsAllowed && isPaidDraw({ ...conditions, type: 'random' }, paidConditions)) return 'paidDraw';
  const impossible = impossibleIn(conditions);
  if (impossible) return impossible;
  if (await findFreeze(q, { userId })) return 'accountFrozen';
  const blocker = await channelBlocker(q, { channelId, userId });
  if (blocker) return blocker;
  const [steam] = await q.select().from(steamAccounts).where(eq(steamAccounts.userId, userId));
  if (!steam) return 'steamNotLinked';
  if (await lacksCounts(q, { channelId, conditions })) return 'notCounted';
  const live = and(eq(raffles.channelId, channelId), within(raffles.state, liveRaffleStates));
  return (await q.$count(raffles, live)) > 0 ? 'raffleLive' : null;
}

/** Returns whether a raffle asks for watch time or streams although nothing of them was counted on the channel. */
async function lacksCounts(
  q: Reader,
  { channelId, conditions }: { channelId: string; conditions: Conditions },
): Promise<boolean> {
  const { watchMinutes, attendedStreams } = conditions;
  if (watchMinutes !== null && !(await hasRow(q, watchTimes, channelId))) return true;
  return attendedStreams !== null && !(await hasRow(q, attendances, channelId));
}

async function hasRow(q: Reader, table: typeof watchTimes | typeof attendances, channelId: string) {
  const [row] = await q
    .select({ twitchId: table.twitchId })
    .from(table as typeof watchTimes)
    .where(eq(table.channelId, channelId))
    .limit(1);
  return row !== undefined;
}

/** The rule that holds the raffle's items. It is closed, so nobody is put on a list for it. */
async function insertRule(
  tx: ChannelTx,
  {
    requestId,
    userId,
    channelId,
    draft: { conditions, claimTimeoutHours },
    keyword,
  }: { requestId: string; userId: string; channelId: string; draft: RaffleDraft; keyword: string },
  nowMs: number,
): Promise<typeof rules.$inferSelect | null> {
  const [rule] = await tx
    .insert(rules)
    .values({
      ...conditions,
      // Nothing is counted from the beginning of a raffle.
      watchScope: 'allTime',
      id: requestId,
      name: `!${keyword}`,
      type: 'one',
      state: 'closed',
      ownerId: userId,
      channelId,
      claimTimeoutHours,
      seed: randomBytes(32).toString('hex'),
      sendDelayHours: (await getSendDelay(tx, userId, nowMs)).hours,
      createdAtMs: nowMs,
      closedAtMs: nowMs,
    })
    .onConflictDoNothing({ target: rules.id })
    .returning();
  return rule ?? null;
}
