import { type ChatLines, en } from '#bot/locales/en.ts';
import { ru } from '#bot/locales/ru.ts';
import type { Database } from '#db/database.ts';
import type { Locale } from '#db/schema/user.ts';
import { getChannelLocale } from '#domain/channel/get-channel-locale.ts';

const languages: Record<Locale, ChatLines> = { en, ru };

/** The bot's lines for a channel, in its language. */
export const chatLinesOf = async (db: Database, channelId: string): Promise<ChatLines> =>
  languages[await getChannelLocale(db.read, channelId)];
