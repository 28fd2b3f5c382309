import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, watchDays } from '#db/schema/channel.ts';
import { channelBlocker } from '#domain/channel/channel-blocker.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { asksFor } from '#domain/condition/condition.ts';
import {
  type Conditions,
  hasNoStoredConditions,
  hasOnlyStoredConditions,
  type ListedCondition,
  listedConditions,
  listReadAtMs,
  startsAtZero,
  storedConditions,
} from '#domain/condition/conditions.ts';
import { getCustodyTotals } from '#domain/item/list-custody.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { day } from '#domain/kernel/time.ts';
import { tryRule } from '#domain/rule/try-rule.ts';

/** Length of the period in days, including today. */
const DRY_RUN_DAYS = 30;

/** A list that was never read from Twitch for a channel, though the rule depends on it. */
type UnreadList = ListedCondition['list']['name'];

/** The expected effect of a rule, shown before it is saved. */
export interface DryRun {
  /** Days with known watch time, including today; 0 if the channel was never watched. */
  days: number;
  /** Viewers who watched in these days. */
  viewers: number;
  /**
   * Number of those who meet the rule, had it started with these days; an upper bound if a list is unread, or
   * points or streams are required.
   */
  meeting: number;
  /** Number of those who have a verified account; only they can be promised rewards. */
  registered: number;
  /** Names of some registered viewers, longest watch time first. */
  names: string[];
  /** Number of rewards that would be promised immediately if there are enough; null if unknown. */
  atOnce: number | null;
  /** Lists that were never read and therefore not counted. */
  unread: UnreadList[];
  /** The rule counts watch time from its start. */
  startsAtZero: boolean;
  /** None of the rule's conditions can be evaluated. */
  nothingKnown: boolean;
  /** The rule also requires channel points, and nobody knows who would spend them. */
  pointsToo: boolean;
  /** The rule also requires streams, and nobody knows who attended earlier ones. */
  streamsToo: boolean;
  /**
   * The owner's available items, and the number of days they last at this rate if every viewer signs up; null
   * if they do not run out.
   */
  pool: { available: number; lastsDays: number | null };
}

/**
 * Evaluates a draft rule for the viewers of the last days. A rule that counts watch time from its start is treated as
 * if it had started with these days. Read-only, in queries over a few thousand viewers at a time. Refused on someone
 * else's channel that does not admit this user, because the result names viewers.
 */
export async function dryRun(
  db: Database,
  asked: { userId: string; channelId: string | null; draft: Conditions },
  nowMs: number,
): Promise<Outcome<{ found: DryRun }, 'twitchNotLinked' | 'notAdmitted'>> {
  const { userId, draft } = asked;
  const channelId = asked.channelId ?? (await findChannelOf(db.read, userId));
  if (!channelId) return refuse('twitchNotLinked');
  const obstacle = await channelBlocker(db.read, { channelId, userId });
  if (obstacle === 'twitchNotLinked' || obstacle === 'notAdmitted') return refuse(obstacle);
  return done({ found: await tryOn(db, { userId, channelId, draft }, nowMs) });
}

async function tryOn(
  db: Database,
  asked: { userId: string; channelId: string; draft: Conditions },
  nowMs: number,
): Promise<DryRun> {
  const { userId, channelId, draft } = asked;
  const fromMs = Math.floor(nowMs / day) * day - (DRY_RUN_DAYS - 1) * day;
  const unread = await listUnread(db, asked);
  const unknownBefore = storedConditions.filter((each) => asksFor(draft, each) && !each.isKnownBefore);
  const undecided = [...unread, ...unknownBefore];
  const known = {
    ...draft,
    ...Object.fromEntries(undecided.map(({ column }) => [column, null])),
  };
  const trial = { userId, channelId, conditions: known, fromMs, nowMs };
  const [days, { newly, atOnce, ...found }, custody] = await Promise.all([
    knownDays(db, channelId, fromMs, nowMs),
    tryRule(db, trial),
    getCustodyTotals(db, { ownerId: userId }, nowMs),
  ]);
  const pool = { available: custody.available, atOnce, perDay: days === 0 ? 0 : newly / days };
  return {
    ...found,
    days,
    atOnce: unknownBefore.length > 0 ? 0 : unread.length > 0 ? null : atOnce,
    unread: unread.map(({ list }) => list.name),
    startsAtZero: startsAtZero(draft),
    nothingKnown: undecided.length > 0 && hasNoStoredConditions(known),
    pointsToo: !hasOnlyStoredConditions(draft),
    streamsToo: unknownBefore.length > 0,
    pool: { available: custody.available, lastsDays: lastsFor(pool) },
  };
}

function lastsFor({ available, atOnce, perDay }: { available: number; atOnce: number; perDay: number }) {
  const left = available - atOnce;
  if (left <= 0) return 0;
  return perDay === 0 ? null : Math.floor(left / perDay);
}

async function listUnread(
  db: Database,
  { channelId, draft }: { channelId: string; draft: Conditions },
): Promise<ListedCondition[]> {
  const [read] = await db.read.select(listReadAtMs).from(channels).where(eq(channels.id, channelId));
  return listedConditions.filter((condition) => asksFor(draft, condition) && read?.[condition.key] == null);
}

/** Days since the first stored day of history, including the open one. */
async function knownDays(db: Database, channelId: string, fromMs: number, nowMs: number): Promise<number> {
  const [channel] = await db.read
    .select({ openMs: channels.rolledUpToMs })
    .from(channels)
    .where(eq(channels.id, channelId));
  if (channel?.openMs == null) return 0;
  const [earliest] = await db.read
    .select({ firstMs: watchDays.dayMs })
    .from(watchDays)
    .where(eq(watchDays.channelId, channelId))
    // Sorted by the channel's whole key: if sorted by the day alone, PostgreSQL may scan the days of all
    // channels.
    .orderBy(asc(watchDays.dayMs), asc(watchDays.twitchId))
    .limit(1);
  const firstMs = earliest?.firstMs ?? channel.openMs;
  return Math.floor((nowMs - Math.max(firstMs, fromMs)) / day) + 1;
}
