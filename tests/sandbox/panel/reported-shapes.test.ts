import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replayOf } from '#sandbox/shapes/replay.ts';
import { openTestPanel, type TestPanel } from './test-panel.ts';

let world: TestPanel;

beforeEach(async () => {
  world = await openTestPanel();
});

afterEach(async () => {
  await world.close();
  expect(world.failures).toEqual([]);
});

const report = readFileSync(new URL('../../../sandbox/shapes/made-up.json', import.meta.url), 'utf8');

test('A report is replayed by each platform until all trouble is cleared', async () => {
  const sizes = () => [world.steam, world.twitch, world.stripe].map((each) => replayOf(each).size);
  await world.submit('/trouble/reported-shapes', { report });
  expect(sizes()).toEqual([1, 1, 1]);
  expect((await world.see('/trouble')).text).toContain('Replayed now: 3 differences');
  await world.submit('/trouble/clear', {});
  expect(sizes()).toEqual([0, 0, 0]);
  await world.submit('/trouble/reported-shapes', { report });
  await world.submit('/trouble/reported-shapes', {});
  expect(sizes()).toEqual([0, 0, 0]);
});
