import { and, eq, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import { announce } from '#domain/outbox/announce.ts';

/**
 * Records why no line of the bot reaches a channel's chat, or, with null, that they do again, and
 * notifies the broadcaster's open pages. Does nothing if that is already recorded. Trouble whose reason changes began
 * with the first one. With `instead` it is recorded only in place of that.
 */
export async function recordChatFault(
  db: Database,
  { channelId, fault, instead }: { channelId: string; fault: ChatFault | null; instead?: ChatFault | null },
  nowMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { chatFault } = channels;
    const differs = fault === null ? isNotNull(chatFault) : or(isNull(chatFault), ne(chatFault, fault));
    const isReplaced = instead === null ? isNull(chatFault) : instead && is(chatFault, instead);
    const changed = await tx
      .update(channels)
      .set(
        fault === null
          ? { chatFault: null, chatFaultSinceMs: null, chatFaultMailed: false }
          : { chatFault: fault, chatFaultSinceMs: sql`coalesce(${channels.chatFaultSinceMs}, ${nowMs})` },
      )
      .where(and(eq(channels.id, channelId), differs, isReplaced))
      .returning({ id: channels.id });
    if (changed.length === 0) return;
    const [owner] = await tx
      .select({ userId: twitchAccounts.userId })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, channelId));
    if (owner)
      await announce(tx, [{ userId: owner.userId, kind: 'channel.changed', subjectId: channelId }], nowMs);
  });
}
