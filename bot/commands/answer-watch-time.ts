import type { ChatLines } from '#bot/locales/en.ts';
import type { Database } from '#db/database.ts';
import { watchedSeconds } from '#domain/watch-time/watched-seconds.ts';
import type { PersonalAnswer } from './chat-answer.ts';
import type { ChatMessage } from './chat-message.ts';

/** `!watchtime`: the time that the viewer has watched this channel, registered or not. */
export async function answerWatchTime(
  { db }: { db: Database },
  { channelId, twitchId, displayName: name }: ChatMessage,
  { watchTime, together }: ChatLines,
): Promise<PersonalAnswer> {
  const watched = { name, seconds: await watchedSeconds(db, { channelId, twitchId }) };
  return { alone: watchTime.watched(watched), part: together.watchTime(watched) };
}
