import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, watchDays } from '#db/schema/channel.ts';
import { channelBlocker } from '#domain/channel/channel-blocker.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { getCustodyTotals } from '#domain/item/list-custody.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import {
  type Conditions,
  hasNoStoredConditions,
  hasOnlyStoredConditions,
  type ListedCondition,
  listedConditions,
  listReadAtMs,
} from '#domain/rule/conditions/conditions.ts';
import { tryRule } from '#domain/rule/try-rule.ts';
import { day } from '#domain/time.ts';

/** How far a dry run looks back, this day counted in. */
const DRY_RUN_DAYS = 30;

/** Of whom Twitch was never asked for a channel, though the rule is decided by it. */
type UnreadList = ListedCondition['list']['name'];

/** What a rule would do, told before it is saved. */
export interface DryRun {
  /** Days of which watch time is known, this one counted in; 0: the channel was never watched. */
  days: number;
  /** Who watched in these days. */
  viewers: number;
  /** Who of them meets the rule, had it begun with these days; at most, where a list is unread or points are asked. */
  meeting: number;
  /** Who of those has a verified account here: only they are promised anything. */
  registered: number;
  /** Some of the registered, those who watched most first. */
  names: string[];
  /** How many are promised a reward as soon as it opens, if there are enough; null: nobody knows. */
  atOnce: number | null;
  /** Lists that were never read: what they decide is not counted in. */
  unread: UnreadList[];
  /** Nothing at all of what the rule asks is known. */
  nothingKnown: boolean;
  /** Channel points are asked too, and nobody knows who would spend them. */
  pointsToo: boolean;
  /** The owner's items that could be put on the rule now, and for how many days they last at the rate of these days if
   * every viewer signs up; null: they do not run out. */
  pool: { available: number; lastsDays: number | null };
}

/**
 * Tries a rule on the viewers of the last days. A rule that counts watch time from its beginning is tried as if it had
 * begun with these days. Reads only, by set-based queries for some thousands of viewers at a time. Refused on a channel that is not the own one
 * and does not admit this person, because it names viewers.
 */
export async function dryRun(
  database: Database,
  asked: { userId: string; channelId: string | null; draft: Conditions },
  nowMs: number,
): Promise<Outcome<{ found: DryRun }, 'twitchNotLinked' | 'notAdmitted'>> {
  const { userId, draft } = asked;
  const channelId = asked.channelId ?? (await findChannelOf(database.read, userId));
  if (!channelId) return refuse('twitchNotLinked');
  const obstacle = await channelBlocker(database.read, { channelId, userId });
  if (obstacle === 'twitchNotLinked' || obstacle === 'notAdmitted') return refuse(obstacle);
  return done({ found: await tryOn(database, { userId, channelId, draft }, nowMs) });
}

async function tryOn(
  database: Database,
  asked: { userId: string; channelId: string; draft: Conditions },
  nowMs: number,
): Promise<DryRun> {
  const { userId, channelId, draft } = asked;
  const fromMs = Math.floor(nowMs / day) * day - (DRY_RUN_DAYS - 1) * day;
  const unread = await listUnread(database, asked);
  const known = {
    ...draft,
    ...Object.fromEntries(unread.map(({ asks }) => [asks, null])),
  };
  const trial = { userId, channelId, conditions: known, fromMs, nowMs };
  const [days, { newly, atOnce, ...found }, custody] = await Promise.all([
    knownDays(database, channelId, fromMs, nowMs),
    tryRule(database, trial),
    getCustodyTotals(database, { ownerId: userId }, nowMs),
  ]);
  const pool = { available: custody.available, atOnce, perDay: days === 0 ? 0 : newly / days };
  return {
    ...found,
    days,
    atOnce: unread.length > 0 ? null : atOnce,
    unread: unread.map(({ list }) => list.name),
    nothingKnown: unread.length > 0 && hasNoStoredConditions(known),
    pointsToo: !hasOnlyStoredConditions(draft),
    pool: { available: custody.available, lastsDays: lastsFor(pool) },
  };
}

function lastsFor({ available, atOnce, perDay }: { available: number; atOnce: number; perDay: number }) {
  const left = available - atOnce;
  if (left <= 0) return 0;
  return perDay === 0 ? null : Math.floor(left / perDay);
}

async function listUnread(
  database: Database,
  { channelId, draft }: { channelId: string; draft: Conditions },
): Promise<ListedCondition[]> {
  const [read] = await database.read.select(listReadAtMs).from(channels).where(eq(channels.id, channelId));
  return listedConditions.filter(({ asks, key }) => draft[asks] !== null && read?.[key] == null);
}

/** Days since the first of which history is kept, the one that is open counted in. */
async function knownDays(
  database: Database,
  channelId: string,
  fromMs: number,
  nowMs: number,
): Promise<number> {
  const [channel] = await database.read
    .select({ openMs: channels.rolledUpToMs })
    .from(channels)
    .where(eq(channels.id, channelId));
  if (channel?.openMs == null) return 0;
  const [earliest] = await database.read
    .select({ firstMs: watchDays.dayMs })
    .from(watchDays)
    .where(eq(watchDays.channelId, channelId))
    // In the whole order of the channel's key: for its first day alone PostgreSQL may go through all channels' days.
    .orderBy(asc(watchDays.dayMs), asc(watchDays.twitchId))
    .limit(1);
  const firstMs = earliest?.firstMs ?? channel.openMs;
  return Math.floor((nowMs - Math.max(firstMs, fromMs)) / day) + 1;
}
