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

test('Pauses of a spared part grow with each death in a row up to ten minutes, whatever else dies', () => {
  const restarts = new Restarts();
  const die = (livedMs: number) => restarts.pauseAfterFailure('bot', livedMs);
  expect([die(10), die(10), die(299_999)]).toEqual([
    { failures: 1, pauseMs: 1000 },
    { failures: 2, pauseMs: 2000 },
    { failures: 3, pauseMs: 4000 },
  ]);
  for (let deaths = 4; deaths < 30; deaths += 1) die(10);
  expect(die(10)).toEqual({ failures: 30, pauseMs: 600_000 });
  expect(restarts.pauseAfterDeath('web', 0)).toBe(1000);
  expect(die(300_000)).toEqual({ failures: 1, pauseMs: 1000 });
});

test('A part that dies is started again alone, until it dies too often; the bot’s deaths end nothing', async () => {
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
  const dieAndReturn = async (name: string) => {
    const before = await vi.waitFor(() => pidOf(name), within);
    process.kill(before, 'SIGKILL');
    await vi.waitFor(() => expect(pidOf(name)).not.toBe(before), within);
  };
  for (let deaths = 0; deaths < 7; deaths += 1) await dieAndReturn('bot');
  expect(pidOf('web')).toBe(web);
  const bot = pidOf('bot');
  for (let deaths = 1; deaths < 5; deaths += 1) await dieAndReturn('web');
  expect(pidOf('bot')).toBe(bot);
  process.kill(pidOf('web'), 'SIGKILL');
  expect(await ended).toEqual([1, null]);
  expect(() => process.kill(bot, 0)).toThrow();
  // Each line is JSON, as the parts' own are.
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ends = lines.filter(({ process: of }) => of === 'supervisor');
  expect(ends).toHaveLength(7 + 5);
  expect(ends[6]).toMatchObject({
    ...{ level: 50, part: 'bot', failures: 7, pauseMs: 640 },
    msg: 'bot ended (SIGKILL); the database is away: no answer; starting it again in 0.64 s',
  });
  expect(ends.at(-1)).toMatchObject({
    level: 60,
    msg: 'web ended (SIGKILL), the fifth end within five minutes; stopping everything',
  });
  // The bot's own lines are passed on.
  expect(lines).toContainEqual(expect.objectContaining({ process: 'bot', msg: 'the database is away' }));
});
