import { processLog } from '#app/http/logger.server.ts';
import { proveWrites } from '#domain/operator/prove-writes.ts';
import { sharedCheck } from '#platform/shared-check.ts';
import { database } from './database.server.ts';

/** However many ask, a row is written no oftener. */
const FRESH_MS = 5_000;

/** Tells whether the database takes a row. */
export const canStore = sharedCheck(async () => {
  const code = await database().then(
    (db) => proveWrites(db, Date.now()),
    () => 'unreachable',
  );
  if (code !== null) processLog.error({ code }, 'the database takes no row');
  return code === null;
}, FRESH_MS);
