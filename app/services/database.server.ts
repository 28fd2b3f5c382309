import { join } from 'node:path';
import { config } from '#app/config.server.ts';
import { type Database, openDatabase } from '#db/database.ts';

let opening: Promise<Database> | null = null;

/** This process's database, opened for the first page that needs it. A failed opening is retried. */
export function database(): Promise<Database> {
  const { dataFolder, databaseUrl } = config();
  const store = { databaseUrl: databaseUrl ?? undefined, file: join(dataFolder, 'keepsake.db') };
  opening ??= openDatabase(store).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}
