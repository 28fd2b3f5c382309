import type { Database } from '#db/database.ts';
import { watchDays } from '#db/schema/channel.ts';
import { deleteOld } from '#domain/kernel/delete-old.ts';
import { day, dayOf } from '#domain/kernel/time.ts';

/** Number of days of history that are stored; no rule asks for more. */
export const RETENTION_DAYS = 92;

/** Deletes what was watched on days that nothing reads any more, of channels that are gone too. */
export async function pruneDays(db: Database, nowMs: number): Promise<void> {
  const { channelId, dayMs, twitchId } = watchDays;
  const beforeMs = dayOf(nowMs) - RETENTION_DAYS * day;
  await deleteOld(db, watchDays, { key: [channelId, dayMs, twitchId], atMs: dayMs, beforeMs });
}
