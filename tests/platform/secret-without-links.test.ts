import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readOrCreateSecret } from '#platform/configuration.ts';

/** The work of another process just before the link. */
const before = vi.hoisted(() => ({ link: (_path: string) => {} }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  linkSync: (_from: string, to: string) => {
    before.link(to);
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  },
}));

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keepsake-secret-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  mkdirSync(join(made, 'secrets'));
  return made;
}

test('A secret is made where the file system knows no links, and the first one wins', () => {
  const dataFolder = folder();
  const secret = readOrCreateSecret(dataFolder, 'bot-secret');
  expect(secret).toMatch(/^[\da-f]{64}$/);
  expect(readOrCreateSecret(dataFolder, 'bot-secret')).toBe(secret);
  expect(statSync(join(dataFolder, 'secrets', 'bot-secret')).mode & 0o777).toBe(0o600);

  before.link = (path) => writeFileSync(path, 'theirs');
  expect(readOrCreateSecret(dataFolder, 'encryption-key')).toBe('theirs');
  expect(readdirSync(join(dataFolder, 'secrets'))).toEqual(['bot-secret', 'encryption-key']);
});
