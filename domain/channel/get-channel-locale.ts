import { eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { type Locale, users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';

const readLocales = statement('channel_locales', (q) =>
  q
    .select({ chosen: channels.chatLocale, own: users.locale })
    .from(channels)
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, channels.id))
    .leftJoin(users, eq(users.id, twitchAccounts.userId))
    .where(eq(channels.id, sql.placeholder('channelId'))),
);

/** Returns the language for a channel's chat: its own setting, or the broadcaster's. */
export async function getChannelLocale(q: Reader, channelId: string): Promise<Locale> {
  const [channel] = await readLocales(q, { channelId });
  return channel?.chosen ?? channel?.own ?? 'en';
}
