import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import type { Locale } from '#db/schema/user.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/** How the bot behaves in a channel's chat. */
export interface ChatSettings {
  /** Null: the broadcaster's own language. */
  chatLocale: Locale | null;
  announcesPromises: boolean;
}

/** The broadcaster chooses the language of the own chat and whether promises are told there. Refused without a channel. */
export async function setChatSettings(
  database: Database,
  { userId, settings }: { userId: string; settings: ChatSettings },
  nowMs: number,
): Promise<Outcome<object, 'twitchNotLinked'>> {
  return database.transaction(async (tx) => {
    const [twitch] = await tx
      .select({ id: twitchAccounts.twitchId })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.userId, userId));
    if (!twitch) return refuse('twitchNotLinked');
    const { chatLocale, announcesPromises } = settings;
    await tx.update(channels).set({ chatLocale, announcesPromises }).where(eq(channels.id, twitch.id));
    await announce(tx, [{ userId, kind: 'channel.changed', subjectId: twitch.id }], nowMs);
    return done({});
  });
}
