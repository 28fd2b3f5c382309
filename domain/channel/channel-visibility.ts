import { eq } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Returns whether a channel is kept off the list of channels and has no public page. */
export async function isChannelHidden(q: Reader, channelId: string): Promise<boolean> {
  const [row] = await q.select({ hidden: channels.hidden }).from(channels).where(eq(channels.id, channelId));
  return row?.hidden ?? false;
}

/** Hides the broadcaster's channel from the public, or shows it. Refused without a channel. */
export async function setChannelHidden(
  db: Database,
  { userId, hidden }: { userId: string; hidden: boolean },
  nowMs: number,
): Promise<Outcome<object, 'twitchNotLinked'>> {
  return db.transaction(async (tx) => {
    const channelId = await findChannelOf(tx, userId);
    if (!channelId) return refuse('twitchNotLinked');
    await tx.update(channels).set({ hidden }).where(eq(channels.id, channelId));
    await announce(tx, [{ userId, kind: 'channel.changed', subjectId: channelId }], nowMs);
    return done({});
  });
}
