import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { simulateReadings, withTables } from '../../tools/documents/scale-tables.ts';

test('docs/scale.md has the tables that npm run docs:scale writes', () => {
  const document = readFileSync('docs/scale.md', 'utf8');
  expect(withTables(document)).toBe(document);
  const stale = document.replace(/(<!-- bots -->\n\n)[^\n]*/, '$1old');
  expect(stale).not.toBe(document);
  expect(withTables(stale)).toBe(document);
});

test('A killed bot’s channels are late by the takeover, and all of them where the others have no room', () => {
  const ample = simulateReadings({ channels: 300, bots: 3, minutes: 20, killedAtS: 600 });
  expect(Math.max(...ample.before)).toBeLessThan(61);
  expect(Math.max(...ample.after)).toBeGreaterThan(70);
  expect(Math.max(...ample.after)).toBeLessThan(80);
  const full = simulateReadings({ channels: 25_000, bots: 3, minutes: 20, killedAtS: 600 });
  expect(full.busy).toBeLessThan(1);
  expect(full.after.at(-1)).toBeGreaterThan(70);
});
