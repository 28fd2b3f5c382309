import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { moveToPostgres } from '#db/engine/move-to-postgres.ts';
import { describeFaults, type Environment, faultOf, readConfiguration } from '#platform/configuration.ts';
import { storeVariables } from '#platform/shared-variables.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { flushToDisk } from './backup/flush-to-disk.ts';
import { lockStore } from './backup/store-lock.ts';
import { movedNameOf, openVault, storeOf } from './settings.ts';

interface Output {
  print(line: string): void;
  fail(line: string): void;
}

function putAside(file: string, { print, fail }: Output): boolean {
  const aside = movedNameOf(file);
  try {
    renameSync(file, aside);
    flushToDisk(dirname(file));
  } catch (error) {
    fail(
      `${file} could not be renamed (${(error as Error).message}). Move it elsewhere yourself: Keepsake is in PostgreSQL now, and what starts on the old file gives the same items away again.`,
    );
    return false;
  }
  print(`The old database is ${aside}. Start Keepsake with this DATABASE_URL, and keep the key.`);
  return true;
}

/**
 * `keepsake migrate-to-postgres`: moves the SQLite database of the data folder into the one in DATABASE_URL. Refuses
 * while a process has it open, and keeps everyone out of both until it is done.
 */
export async function runMoveToPostgres(environment: Environment, { print, fail }: Output): Promise<boolean> {
  const outcome = readConfiguration(storeVariables, environment);
  if (!outcome.ok) {
    fail(describeFaults(outcome.faults));
    return false;
  }
  const { databaseUrl: url, file } = storeOf(outcome.values);
  if (!url) {
    fail(describeFaults([faultOf(storeVariables, 'DATABASE_URL', 'is not set')]));
    return false;
  }
  const refuse = (why: string) => {
    fail(`Nothing was moved: ${why}.`);
    return false;
  };
  const opened = openVault(outcome.values);
  if (!opened.ok) return refuse(opened.why);
  if (!existsSync(file)) return refuse(`there is no database at ${file}`);
  if (existsSync(movedNameOf(file))) return refuse(`${movedNameOf(file)} exists: move it elsewhere`);
  const lock = await lockStore(file);
  if (lock.state === 'inUse') return refuse(`a process has ${file} open: stop Keepsake first`);
  if (lock.state === 'unknown' || !lock.connection)
    return refuse(`whether a process has ${file} open cannot be told`);
  const beganMs = steadyMs();
  try {
    const source = lock.connection;
    const moved = await moveToPostgres({ source, url, seals: opened.vault, say: print });
    if (!moved.ok && moved.code === 'unknown') {
      fail(`${moved.why}.`);
      return false;
    }
    if (!moved.ok) return refuse(moved.why);
    const seconds = Math.round((steadyMs() - beganMs) / 1000);
    print(
      moved.wasThere
        ? `All ${moved.rows} rows are in PostgreSQL already.`
        : `${moved.rows} rows moved and compared in ${seconds} seconds.`,
    );
    return putAside(file, { print, fail });
  } catch (error) {
    return refuse((error as Error).message);
  } finally {
    lock.release();
  }
}
