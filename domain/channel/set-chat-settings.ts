import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import type { Locale } from '#db/schema/user.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

/** The bot's behaviour in a channel's chat. */
export interface ChatSettings {
  /** Null stands for the broadcaster's own language. */
  chatLocale: Locale | null;
  announcesPromises: boolean;
}

/**
 * Sets the language of the broadcaster's chat and whether promises are announced there. Refused without a channel.
 */
export async function setChatSettings(
  db: Database,
  { userId, settings }: { userId: string; settings: ChatSettings },
  nowMs: number,
): Promise<Outcome<object, 'twitchNotLinked'>> {
  return db.transaction(async (tx) => {
    const channelId = await findChannelOf(tx, userId);
    if (!channelId) return refuse('twitchNotLinked');
    const { chatLocale, announcesPromises } = settings;
    await tx.update(channels).set({ chatLocale, announcesPromises }).where(eq(channels.id, channelId));
    await announce(tx, [{ userId, kind: 'channel.changed', subjectId: channelId }], nowMs);
    return done({});
  });
}
