import pg from 'pg';
import { errorCode } from '#db/error-code.ts';
import { databaseOf, maintenanceOf, withClient } from './postgres-store.ts';

const IN_USE = '55006';
const NO_SUCH_DATABASE = '3D000';

/** The version of a server: its number, which grows, and its name. */
export const versionOf = (url: string): Promise<{ number: number; name: string }> =>
  withClient(maintenanceOf(url), async (client) => {
    const { rows } = await client.query<{ number: number; name: string }>(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
    );
    return rows[0] ?? { number: 0, name: '' };
  });

/** An id that no other server or database has, under whatever address it is reached. */
export const identityOf = (url: string): Promise<string> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      "select system_identifier || '/' || current_database() as id from pg_control_system()",
    );
    return rows[0]?.id ?? '';
  });

/** Counts the rows of each table; null if there is no such database. */
export async function countRows(url: string): Promise<Record<string, number> | null> {
  try {
    return await withClient(url, async (client) => {
      const { rows: tables } = await client.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
          where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
      );
      const counts: Record<string, number> = {};
      for (const { name } of tables) {
        const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${name}`);
        counts[name] = Number(rows[0]?.count);
      }
      return counts;
    });
  } catch (error) {
    if (errorCode(error) === NO_SUCH_DATABASE) return null;
    throw error;
  }
}

/**
 * Gives a database another name, so that nothing is started on it by its address. Returns false while anybody is
 * connected to it.
 */
export const renameDatabase = (url: string, from: string, to: string): Promise<boolean> =>
  withClient(maintenanceOf(url), async (client) => {
    try {
      await client.query(`alter database ${pg.escapeIdentifier(from)} rename to ${pg.escapeIdentifier(to)}`);
      return true;
    } catch (error) {
      if (errorCode(error) === IN_USE) return false;
      throw error;
    }
  });

/** The name that the database of an instance has while it is copied to another server, and afterwards. */
export const asideNameOf = (url: string, nowMs: number): string =>
  `${databaseOf(url).slice(0, 40)}_upgraded_${nowMs}`;

/** Drops a database that has nothing in it. */
export const dropEmpty = (url: string, name: string): Promise<void> =>
  withClient(maintenanceOf(url), async (client) => {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)}`);
  });
