import { randomBytes } from 'node:crypto';
import { onTestFinished, test } from 'vitest';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

/** A test that needs a real PostgreSQL whose user may create databases. `npm run test:deep` runs it in CI. */
export const onServer = test.skipIf(!serverUrl);

/** The address of an empty database, or of a copy of another, which is dropped when the test ends. */
export async function makePostgres(template = 'template1'): Promise<string> {
  const name = `keepsake_test_${randomBytes(6).toString('hex')}`;
  await askPostgres(serverUrl ?? '', `create database ${name} template ${template}`);
  const url = Object.assign(new URL(serverUrl ?? ''), { pathname: `/${name}` }).href;
  onTestFinished(() => dropPostgres(url));
  return url;
}

/** Drops a database that was made here before the test ends, if a test makes many. */
export async function dropPostgres(url: string): Promise<void> {
  await askPostgres(
    serverUrl ?? '',
    `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`,
  );
}
