import type { Database } from '#db/database.ts';
import { recordListed } from './count-day.ts';

type Counted = { channelId: string; atMs: number } & ({ followers: number } | { subscribers: number });

/** Records Twitch's own number of a channel's followers or subscribers as the day's. */
export const recordAudience = (db: Database, counted: Counted): Promise<void> =>
  db.transaction((tx) => recordListed(tx, counted));
