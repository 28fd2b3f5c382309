import type { Database } from '#db/database.ts';
import { pushes } from '#db/schema/push.ts';
import { deleteOld } from '#domain/kernel/delete-old.ts';
import { day } from '#domain/kernel/time.ts';

/** A notice that was sent is remembered for as long as its cause could be told again. */
const STORED_MS = 90 * day;

/** Deletes notices that ended long ago. */
export const prunePushes = (db: Database, nowMs: number): Promise<void> =>
  deleteOld(db, pushes, { key: [pushes.id], atMs: pushes.endedAtMs, beforeMs: nowMs - STORED_MS });
