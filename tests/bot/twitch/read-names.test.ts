import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { readNames } from '#bot/twitch/channel/read-names.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { hour, minute } from '#domain/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { setChannel, setStage, until } from './stage.ts';

const log = pino({ level: 'silent' });
afterEach(() => {
  vi.useRealTimers();
});

test('A viewer who was renamed on Twitch has the new name here', async () => {
  const stage = await setStage();
  const { viewer } = await setChannel(stage);
  stage.world.rename(viewer.twitchId, 'demo_other', 'Demo_Other');
  await stage.startBot();
  const { login, displayName } = twitchAccounts;
  const name = () =>
    stage.database.read
      .select({ login, displayName })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, viewer.twitchId));
  await until(name, ([row]) => row?.login === 'demo_other' && row.displayName === 'Demo_Other');
});

test('Everyone is asked about once an hour, a hundred in a round, and a failed round is made again', async () => {
  const database = await openTestDatabase();
  for (let count = 0; count < 150; count += 1) await addPerson(database);
  vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] });
  const asked: number[] = [];
  let fails = true;
  const round = readNames({
    database,
    clock: { now: () => START_MS, stop: () => {} },
    log,
    api: {
      async peopleOf(twitchIds) {
        asked.push(new Set(twitchIds).size);
        if (asked.length === 2 && fails) throw new TwitchFault('unavailable', 'no answer');
        return [];
      },
    },
  });
  expect(await round()).toBe(0);
  expect(await round()).toBe(minute);
  fails = false;
  expect(await round()).toBe(hour);
  expect(await round()).toBe(hour);
  vi.setSystemTime(1_000_000 + hour);
  expect(await round()).toBe(0);
  expect(asked).toEqual([100, 50, 50, 100]);
  await database.close();
});
