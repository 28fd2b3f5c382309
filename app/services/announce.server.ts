import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { processLog } from '#app/http/logger.server.ts';
import { WAITING } from '#db/engine/store-refused.ts';
import { announceProcess, withdrawProcess } from '#domain/process/announce-process.ts';
import { announceRepeatedly } from '#platform/announce-repeatedly.ts';
import { database } from './database.server.ts';

let newest = Number.POSITIVE_INFINITY;

/** Returns when the newest migration was generated that this process has said it knows; without that, it knows all. */
export const newestAnnounced = (): number => newest;

/** Says again and again that this web process runs; null if it may not, because a newer version changed the schema. */
export function announceWeb(
  facts: { version: string; schema: number },
  onOutdated: () => void,
): ReturnType<typeof announceRepeatedly> {
  newest = facts.schema;
  const id = `${hostname()}:${process.pid}:${randomUUID()}`;
  return announceRepeatedly({
    announce: async () => announceProcess(await database(), { id, role: 'web', ...facts }),
    withdraw: async () => withdrawProcess(await database(), id),
    onWaiting: () => processLog.info(WAITING),
    onOutdated,
    warn: (err) => processLog.warn({ err }, 'could not say that this process runs; trying again'),
  });
}
