import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startOwnServer } from './own-server.ts';
import { serverUrl } from './postgres-server.ts';
import { dropStoresOfRun } from './server-database.ts';

/** Projects that test on a PostgreSQL server if there is one. */
const onServer = ['domain-postgres', 'project', 'races', 'deep'];

/**
 * Starts a server for the run where its programs are installed, unless TEST_POSTGRES_URL names one, or, being empty, asks
 * for none.
 */
async function serveRun({ name }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_POSTGRES_URL !== undefined || !onServer.includes(name)) return undefined;
  const server = await startOwnServer({ max_connections: '300' });
  process.env.TEST_POSTGRES_URL = server?.url ?? '';
  return server ? () => server[Symbol.asyncDispose]() : undefined;
}

/** Prepares a run, for each of its projects, and returns the way back. */
export default async function prepareRun(project: TestProject): Promise<() => Promise<void>> {
  const deleteFiles = makeRunFolder();
  const stopServer = await serveRun(project);
  return async () => {
    // Loaded before any project has started a server, so that the address is that of one which stays.
    if (deleteFiles && serverUrl) await dropStoresOfRun();
    await stopServer?.();
    deleteFiles?.();
  };
}

/**
 * Everything that a run's tests write is deleted with its folder: databases, in memory if possible, and temporary
 * files.
 */
function makeRunFolder(): (() => void) | undefined {
  // The first project creates the folder.
  if (process.env.TEST_STORES) return undefined;
  // Anything slow to create that never changes is kept for the next run.
  process.env.AGED_STORES ??= join(tmpdir(), 'keepsake-aged');
  const files = mkdtempSync(join(tmpdir(), 'keepsake-run-'));
  // A database server runs as a user of its own, and its folder is in here.
  chmodSync(files, 0o711);
  const stores = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/keepsake-run-') : files;
  process.env.TEST_STORES = stores;
  process.env.TMPDIR = files;
  return () => {
    for (const folder of [stores, files]) rmSync(folder, { recursive: true, force: true });
  };
}
