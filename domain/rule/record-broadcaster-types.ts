import { and, eq, exists, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { type BroadcasterType, broadcasterTypes, channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { writeOfSubscribersFault } from '#domain/channel/record-subscribers-fault.ts';
import { asksInSql } from '#domain/condition/condition.ts';
import { subscription } from '#domain/condition/subscription.ts';

/** A broadcaster's type as Twitch shows it today. */
export interface TypedBroadcaster {
  twitchId: string;
  broadcasterType: BroadcasterType;
}

/**
 * Records broadcasters' types as Twitch shows them. A channel that is neither affiliate nor partner has no
 * subscribers, so an open rule for them puts a fault on it, about which the streamer is mailed once; a change
 * of the type ends the fault.
 */
export async function recordBroadcasterTypes(
  db: Database,
  read: readonly TypedBroadcaster[],
  nowMs: number,
): Promise<void> {
  const typed = broadcasterTypes.flatMap((type) => {
    const ids = read.filter((one) => one.broadcasterType === type).map(({ twitchId }) => twitchId);
    return ids.length === 0 ? [] : [{ type, ids }];
  });
  for (const { type, ids } of typed) {
    const outdated = await db.read
      .select({ id: channels.id })
      .from(channels)
      .where(and(inArray(channels.id, ids), or(differs(type), faultDiffers(db.read, type))));
    if (outdated.length === 0) continue;
    await db.transaction(async (tx) => {
      for (const { id } of outdated) await record(tx, { id, type }, nowMs);
    });
  }
}

const differs = (type: BroadcasterType) =>
  or(isNull(channels.broadcasterType), ne(channels.broadcasterType, type));

/** Returns whether such a channel's fault has to begin or to end. */
function faultDiffers(q: Pick<Tx, 'select'>, type: BroadcasterType) {
  if (type !== 'plain') return isNotNull(channels.subscribersFault);
  const asking = q
    .select({ one: sql`1` })
    .from(rules)
    .where(and(eq(rules.channelId, channels.id), is(rules.state, 'open'), asksInSql(subscription)));
  return and(isNull(channels.subscribersFault), exists(asking));
}

async function record(
  tx: Tx,
  { id, type }: { id: string; type: BroadcasterType },
  nowMs: number,
): Promise<void> {
  const isFaulty = type === 'plain';
  const changed = await tx
    .update(channels)
    .set({ subscribersFault: isFaulty ? 'notAffiliate' : null })
    .where(and(eq(channels.id, id), faultDiffers(tx, type)))
    .returning({ id: channels.id });
  await tx.update(channels).set({ broadcasterType: type }).where(eq(channels.id, id));
  if (isFaulty && changed.length === 1) await writeOfSubscribersFault(tx, id, nowMs);
}
