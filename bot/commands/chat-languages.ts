import { type ChatLines, en } from '#bot/locales/en.ts';
import { ru } from '#bot/locales/ru.ts';
import type { Database } from '#db/database.ts';
import type { Locale } from '#db/schema/user.ts';
import { getChannelLocale } from '#domain/channel/get-channel-locale.ts';

const languages: Record<Locale, ChatLines> = { en, ru };

/** What is said in a channel's chat, in its language. */
export const chatLinesOf = async (database: Database, channelId: string): Promise<ChatLines> =>
  languages[await getChannelLocale(database.read, channelId)];
