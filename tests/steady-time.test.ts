import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forwardOnly } from '#platform/steady-time.ts';

/** Files that mean the date: leases and pauses in the database, tokens, and the comparison with Steam's clock. */
const dates: Record<string, number> = {
  'bot/steam/start-steam.ts': 1,
  'bot/steam/steam-bot.ts': 9,
  'bot/steam/steam-session.ts': 2,
  'bot/steam/transfers/deliver-transfers.ts': 4,
  'bot/steam/transfers/resolve-uncertain.ts': 2,
};

test('What waits on Steam measures time that a corrected clock does not change', () => {
  const files = readdirSync('bot/steam', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `bot/steam/${name}`);
  expect(files.length).toBeGreaterThan(40);
  const found = files.flatMap((file) => {
    const uses = readFileSync(file, 'utf8').match(/Date\.now/g)?.length ?? 0;
    return uses > 0 ? [[file, uses] as const] : [];
  });
  expect(Object.fromEntries(found)).toEqual(dates);
});

test('Steady time goes forward with its clock, and stands still for a moment where that is put back', () => {
  const clock = { ms: 1000 };
  const steadyMs = forwardOnly(() => clock.ms);
  const times = [1000, 1500, 400, 900, 5000].map((ms) => {
    clock.ms = ms;
    return steadyMs();
  });
  expect(times).toEqual([1000, 1500, 1500, 2000, 6100]);
});
