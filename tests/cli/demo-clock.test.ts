import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { writeDemoNotes } from '../../cli/demo/demo-notes.ts';
import { openClockHere } from '../../cli/demo/open-clock-here.ts';

const day = 86_400_000;

/** The data folder of a demo whose clock is at this address. */
function demoFolder(clockUrl: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeDemoNotes(folder, { people: [], stocked: true });
  mkdirSync(join(folder, 'sandbox'));
  const settings = { KEEPSAKE_CLOCK_URL: clockUrl };
  writeFileSync(join(folder, 'sandbox', 'product.env.json'), JSON.stringify(settings));
  return folder;
}

async function clockAhead(offsetMs: number): Promise<string> {
  const server = createServer((_, answer) => answer.end(JSON.stringify({ offsetMs })));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('Commands go by the clock of the demo that runs on their folder', async () => {
  const folder = demoFolder(await clockAhead(9 * day));
  const clock = await openClockHere({}, folder);
  onTestFinished(() => clock.stop());
  expect(clock.now() - Date.now()).toBeGreaterThan(8 * day);
});

test('Without a demo that runs, and with the settings of an instance, they go by the system’s clock', async () => {
  const [ended, running] = ['http://127.0.0.1:9', await clockAhead(9 * day)].map(demoFolder);
  expect(await openClockHere({}, ended ?? '')).toBe(systemClock);
  expect(await openClockHere({ TWITCH_BOT_LOGIN: 'keepsake_bot' }, running ?? '')).toBe(systemClock);
});
