import { join } from 'node:path';
import type { Seals } from '#db/engine/sealed-text.ts';
import {
  type ConfigurationPlan,
  describeFaults,
  type Environment,
  faultOf,
  readConfiguration,
} from '#platform/configuration.ts';
import { storeVariables } from '#platform/shared-variables.ts';
import { DUMP_FILE } from './backup/manifest.ts';
import {
  asideNameOf,
  countRows,
  dropEmpty,
  identityOf,
  renameDatabase,
  versionOf,
} from './backup/postgres-server.ts';
import { databaseOf, dumpPostgres, withRestoredCopy } from './backup/postgres-store.ts';
import { withDatabase } from './backup/postgres-tools.ts';
import { inWorkFolder } from './backup/work-folder.ts';
import { openVault } from './settings.ts';

interface Output {
  print(line: string): void;
  fail(line: string): void;
}

const plan = {
  ...storeVariables,
  NEW_DATABASE_URL: {
    ...storeVariables.DATABASE_URL,
    about: 'The same instance on the new server, for `keepsake upgrade-postgres`.',
    example: 'postgres://keepsake:password@newhost/keepsake',
  },
} as const satisfies ConfigurationPlan;

export const upgradeUsage = `Usage: NEW_DATABASE_URL=postgres://… npm run keepsake -- upgrade-postgres

Copies the database in DATABASE_URL to the server in NEW_DATABASE_URL, of the same version or a newer one, and compares
both. Stop Keepsake first. The old database gets another name before it is copied, so that nothing starts on it
meanwhile or later by mistake; if anything fails it gets its own name back. Needs pg_dump and pg_restore in the version of
the new server. docs/self-hosting.md has the steps for Docker Compose.`;

interface Move {
  from: string;
  to: string;
  dataFolder: string;
  nowMs: number;
  seals: Seals;
}

/** Copies an instance from one PostgreSQL to another, and says how to start on the new one. */
export async function runUpgradePostgres(
  environment: Environment,
  { print, fail }: Output,
  nowMs: number,
): Promise<boolean> {
  const outcome = readConfiguration(plan, environment);
  if (!outcome.ok) {
    fail(describeFaults(outcome.faults));
    return false;
  }
  const given = outcome.values;
  const { DATABASE_URL: from, NEW_DATABASE_URL: to } = given;
  if (!from || !to) {
    fail(describeFaults([faultOf(plan, from ? 'NEW_DATABASE_URL' : 'DATABASE_URL', 'is not set')]));
    return false;
  }
  const opened = openVault(given);
  const refusal = opened.ok ? await findRefusal(from, to) : opened.why;
  if (!opened.ok || refusal !== null) {
    fail(`Nothing was changed: ${refusal}`);
    return false;
  }
  const move = { from, to, dataFolder: given.KEEPSAKE_DATA_DIR, nowMs, seals: opened.vault };
  return copyWhileAside(move, { print, fail });
}

async function findRefusal(from: string, to: string): Promise<string | null> {
  const [old, next] = [await versionOf(from), await versionOf(to)];
  if (Math.floor(next.number / 10_000) < Math.floor(old.number / 10_000))
    return `the new server has PostgreSQL ${next.name}, which is older than ${old.name}.`;
  const there = await countRows(to);
  if (there && (await identityOf(from)) === (await identityOf(to)))
    return 'DATABASE_URL and NEW_DATABASE_URL name the same database.';
  if (there && Object.keys(there).length > 0)
    return `the database ${databaseOf(to)} on the new server is not empty: rename or drop it there.`;
  return null;
}

/** Nobody can connect to a database whose name they do not know, so nothing is written after it was copied. */
async function copyWhileAside(move: Move, { print, fail }: Output): Promise<boolean> {
  const { from, to, nowMs } = move;
  const [own, aside] = [databaseOf(from), asideNameOf(from, nowMs)];
  if (!(await renameDatabase(from, own, aside))) {
    fail(
      'Nothing was changed: a process is connected to the database. Stop Keepsake, and pgbouncer if there is one.',
    );
    return false;
  }
  print(
    `On the old server the database ${own} is ${aside} from now on. If this is interrupted, rename it back.`,
  );
  let problem: string | null;
  try {
    problem = await copy({ ...move, from: withDatabase(from, aside) }, print);
  } catch (error) {
    problem = (error as Error).message;
  }
  if (problem === null) {
    print(
      `Start Keepsake with DATABASE_URL set to the address of the new server (database ${databaseOf(to)}), and keep the key. Drop ${aside} on the old server once you are sure.`,
    );
    return true;
  }
  const fault = await renameBack(from, aside, own);
  fail(
    fault === null
      ? `The upgrade failed, and the database is ${own} again, as before: ${problem}`
      : `The upgrade failed: ${problem}\nThe database on the old server is still ${aside}, because it could not be renamed back to ${own} (${fault}). Rename it by hand before you start Keepsake: ALTER DATABASE "${aside}" RENAME TO "${own}";`,
  );
  return false;
}

/** Returns why the database keeps its other name; null if it has its own again. */
async function renameBack(from: string, aside: string, own: string): Promise<string | null> {
  try {
    return (await renameDatabase(from, aside, own)) ? null : 'a process is connected to it';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns what went wrong; null once the new server has all of it under its own name. */
const copy = ({ from, to, dataFolder, nowMs, seals }: Move, print: Output['print']): Promise<string | null> =>
  inWorkFolder(dataFolder, async (folder) => {
    const dump = join(folder, DUMP_FILE);
    const facts = await dumpPostgres(from, dump);
    print('Dumped. Restoring on the new server …');
    return withRestoredCopy(to, dump, facts, async (copied) => {
      if (copied.fault) return copied.fault;
      if (!(await copied.isUnder(seals))) return 'the key does not open what is stored';
      const placed = await copied.putInPlace(nowMs, () => {});
      if (!placed) return `somebody is connected to the database ${databaseOf(to)} on the new server`;
      if (placed.replaced) await dropEmpty(to, placed.replaced);
      const difference = differenceBetween(await countRows(from), await countRows(to));
      if (difference) return difference;
      const { items, ledgerEntries } = facts.counts;
      print(
        `Compared: every table has as many rows, ${items} items and ${ledgerEntries} ledger entries among them.`,
      );
      return null;
    });
  });

function differenceBetween(
  old: Record<string, number> | null,
  next: Record<string, number> | null,
): string | null {
  const tables = new Set([...Object.keys(old ?? {}), ...Object.keys(next ?? {})]);
  const differing = [...tables].filter((table) => old?.[table] !== next?.[table]);
  const [first] = differing;
  return first
    ? `the new server has ${next?.[first] ?? 'no'} rows of ${first} instead of ${old?.[first] ?? 'none'}`
    : null;
}
