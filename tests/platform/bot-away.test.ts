import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBotAway, recordBotAway } from '#platform/bot-away.ts';

test('A bot that should have been started more than five minutes ago, and has not ended since, is not away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-away-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const away = { failures: 7, endedAtMs: 1000, nextStartAtMs: 65_000, reason: 'bot ended (exit code 1)' };
  recordBotAway(folder, away);
  const untilMs = away.nextStartAtMs + 5 * 60_000;
  expect(readBotAway(folder, away.endedAtMs)).toEqual(away);
  expect(readBotAway(folder, untilMs)).toEqual(away);
  expect(readBotAway(folder, untilMs + 1)).toBeNull();
});
