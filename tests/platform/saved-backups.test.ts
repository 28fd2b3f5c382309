import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSavedBackups } from '#platform/saved-backups.ts';

const name = (day: string) => `keepsake-2026-11-${day}T04-00-00-000Z`;

test('Complete backups are counted, and the last one is measured with all that is in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-saved-'));
  for (const each of [name('22'), name('23'), `${name('24')}.0123456789abcdef.partial`])
    mkdirSync(join(folder, each, 'secrets'), { recursive: true });
  writeFileSync(join(folder, name('23'), 'keepsake.db'), Buffer.alloc(100));
  writeFileSync(join(folder, name('23'), 'secrets', 'encryption-key'), Buffer.alloc(20));
  writeFileSync(join(folder, 'status.json'), '{}');
  expect(readSavedBackups(folder, `/elsewhere/${name('23')}`)).toEqual({ count: 2, bytes: 120 });
  expect(readSavedBackups(folder, name('21'))).toEqual({ count: 2, bytes: null });
  expect(readSavedBackups(join(folder, 'none'), null)).toEqual({ count: 0, bytes: null });
});
