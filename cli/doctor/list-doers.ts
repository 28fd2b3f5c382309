import { existsSync } from 'node:fs';
import { openPostgres, openSqlite } from '#db/database.ts';
import { type ListedWork, listWork } from '#domain/bot/list-work.ts';
import { type Environment, readConfiguration } from '#platform/configuration.ts';
import { storeVariables } from '#platform/shared-variables.ts';
import { storeOf } from '../settings.ts';

/**
 * Lists who does which part of the bot's work, as far as the database can be read: what keeps it from being read is a
 * finding.
 */
export async function listDoers(environment: Environment): Promise<ListedWork[]> {
  const given = readConfiguration(storeVariables, environment);
  if (!given.ok) return [];
  const { databaseUrl, file } = storeOf(given.values);
  if (!databaseUrl && !existsSync(file)) return [];
  const db = await (databaseUrl ? openPostgres(databaseUrl, 1) : openSqlite(file)).catch(() => null);
  try {
    return db ? await listWork(db.read) : [];
  } catch {
    return [];
  } finally {
    await db?.close();
  }
}
