import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { Restarts } from '../../cli/restarts.ts';

test('Pauses grow with each death of a part, and the fifth death within five minutes ends all', () => {
  const restarts = new Restarts();
  expect(restarts.pauseAfterDeath('bot', 0)).toBe(1000);
  expect(restarts.pauseAfterDeath('bot', 1)).toBe(2000);
  expect(restarts.pauseAfterDeath('web', 2)).toBe(1000);
  expect(restarts.pauseAfterDeath('bot', 3)).toBe(4000);
  expect(restarts.pauseAfterDeath('bot', 4)).toBeNull();
});

test('Deaths more than five minutes ago are forgotten', () => {
  const restarts = new Restarts();
  for (let minutes = 0; minutes < 60; minutes += 2)
    expect(restarts.pauseAfterDeath('bot', minutes * 60_000)).not.toBeNull();
  expect(restarts.pauseAfterDeath('bot', 120 * 60_000)).toBe(1000);
});

test('A part that dies is started again alone, until it dies too often', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-supervised-'));
  const child = spawn(process.execPath, ['--import', 'tsx', 'tests/support/supervised.ts', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const pidOf = (name: string) => Number(readFileSync(join(folder, name), 'utf8'));
  const within = { timeout: PATIENCE_MS, interval: 50 };
  const web = await vi.waitFor(() => pidOf('web'), within);
  let bot = await vi.waitFor(() => pidOf('bot'), within);
  for (let deaths = 1; deaths < 5; deaths += 1) {
    process.kill(bot, 'SIGKILL');
    bot = await vi.waitFor(() => {
      expect(pidOf('bot')).not.toBe(bot);
      return pidOf('bot');
    }, within);
    expect(pidOf('web')).toBe(web);
  }
  process.kill(bot, 'SIGKILL');
  expect(await ended).toEqual([1, null]);
  expect(() => process.kill(web, 0)).toThrow();
  // Each line is JSON, as the parts' own are.
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatchObject({
    ...{ level: 50, process: 'supervisor', part: 'bot', pauseMs: 10 },
    msg: 'bot ended (SIGKILL); starting it again in 0.01 s',
  });
  expect(lines.at(-1)).toMatchObject({
    level: 60,
    msg: 'bot ended (SIGKILL), the fifth end within five minutes; stopping everything',
  });
});
