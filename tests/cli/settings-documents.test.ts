import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsDocuments } from '../../tools/documents/settings-documents.ts';

test.each(Object.entries(settingsDocuments()))('%s is what npm run docs:settings writes', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('Checks are described in our own words', () => {
  for (const text of Object.values(settingsDocuments()))
    expect(text).not.toMatch(/Invalid (input|option|string)|Too (big|small)|expected \w+/);
});
