import type { Database } from '#db/database.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import type { ChatAnnouncement } from './take-announcements.ts';

/**
 * Puts an announcement back that was taken, and that its chat did not take. It is as old as before, so that it is taken
 * again until it is stale. Doing so twice is doing it once.
 */
export async function putBackAnnouncement(
  db: Database,
  { channelLogin: _, ...announcement }: ChatAnnouncement,
): Promise<void> {
  await db.transaction((tx) => tx.insert(chatAnnouncements).values(announcement).onConflictDoNothing());
}
