import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { events } from '#db/schema/outbox.ts';
import { raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { type RuleType, rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { listShownNames } from '#domain/overlay/read-board.ts';

/** `earned` by whoever came first in line, `drawn` by a random rule or a raffle, or `delivered` on Steam. */
type MomentKind = 'earned' | 'drawn' | 'delivered';

/** Something that happened to a reward and is shown once on stream. */
export interface Moment {
  /** The id of the event that told of it. */
  id: string;
  /** The streamer. */
  userId: string;
  kind: MomentKind;
  /** The viewer's Twitch id. */
  twitchId: string;
  /** Null for a viewer who hides their name or has no account. */
  name: string | null;
  item: { name: string; iconUrl: string; rarityTag: string };
  ruleName: string;
  /** Domain time. */
  atMs: number;
}

const kindsOfPromise: Record<RuleType, MomentKind> = { one: 'earned', random: 'drawn' };

const readHappened = statement('overlay_moments', (q) =>
  q
    .select({
      id: events.id,
      atMs: events.atMs,
      promisedAtMs: rewards.promisedAtMs,
      claimedAtMs: rewards.claimedAtMs,
      state: rewards.state,
      twitchId: rewards.twitchId,
      ruleName: rules.name,
      type: rules.type,
      raffleId: raffles.id,
      userId: events.userId,
      item: { name: items.name, iconUrl: items.iconUrl, rarityTag: items.rarityTag },
    })
    .from(events)
    .innerJoin(rewards, and(eq(rewards.id, events.subjectId), eq(rewards.ownerId, events.userId)))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(raffles, eq(raffles.ruleId, rewards.ruleId))
    .where(and(isAmong(events.id, sql.placeholder('eventIds')), eq(events.kind, 'reward.changed')))
    .orderBy(events.id),
);

/**
 * Reads what happened to streamers' rewards with these events of theirs, in their order. An event is written with the time of
 * what it tells of, so that a later change of the same reward is no moment again.
 */
export async function readMoments({ read }: Database, eventIds: readonly string[]): Promise<Moment[]> {
  if (eventIds.length === 0) return [];
  const rows = await readHappened(read, { eventIds: JSON.stringify(eventIds) });
  const names = await listShownNames(
    read,
    rows.flatMap(({ twitchId }) => twitchId ?? []),
  );
  return rows.flatMap(({ id, userId, atMs, twitchId, ruleName, item, ...row }) => {
    const kind = kindOf(row, atMs);
    if (kind === null || twitchId === null) return [];
    return [{ id, userId, atMs, kind, twitchId, ruleName, item, name: names.get(twitchId) ?? null }];
  });
}

function kindOf(
  reward: Pick<typeof rewards.$inferSelect, 'promisedAtMs' | 'claimedAtMs' | 'state'> & {
    type: RuleType;
    raffleId: string | null;
  },
  atMs: number,
): MomentKind | null {
  if (reward.state === 'recalled') return null;
  if (reward.claimedAtMs === atMs) return 'delivered';
  if (reward.promisedAtMs !== atMs) return null;
  return reward.raffleId === null ? kindsOfPromise[reward.type] : 'drawn';
}
