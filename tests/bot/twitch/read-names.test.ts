import { eq, isNotNull } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { readNames } from '#bot/twitch/channel/read-names.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { recordMissingAccount } from '#domain/account/twitch/record-missing-account.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
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
    stage.db.read
      .select({ login, displayName })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, viewer.twitchId));
  await until(name, ([row]) => row?.login === 'demo_other' && row.displayName === 'Demo_Other');
});

test('Everyone is asked about once an hour, a hundred in a round, and a failed round is made again', async () => {
  const db = await openTestDatabase();
  for (let count = 0; count < 150; count += 1) await addPerson(db);
  holdTime();
  const asked: number[] = [];
  let fails = true;
  const round = readNames({
    db,
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
  // Something changed, but the minute has not passed.
  expect(await round()).toBe(minute);
  passTime(minute);
  expect(await round()).toBe(hour - minute);
  expect(await round()).toBe(hour - minute);
  passTime(hour - minute);
  expect(await round()).toBe(0);
  expect(asked).toEqual([100, 50, 50, 100]);
  await db.close();
});

test('A failure of the database neither makes an account missing nor keeps it from being found so', async () => {
  await using db = await openTestDatabase();
  const [gone, back] = [await addPerson(db), await addPerson(db)];
  const missing = async () => {
    const rows = await db.read
      .select({ twitchId: twitchAccounts.twitchId })
      .from(twitchAccounts)
      .where(isNotNull(twitchAccounts.missingSinceMs));
    return rows.map(({ twitchId }) => twitchId);
  };
  await recordMissingAccount(db, back, START_MS);
  let fails = true;
  const transaction: typeof db.transaction = (...given) =>
    fails ? Promise.reject(new Error('the disk is full')) : db.transaction(...given);
  const name = { ...back, login: 'demo', displayName: 'Demo', broadcasterType: 'plain' as const };
  holdTime();
  const clock = { now: () => START_MS, stop: () => {} };
  const api = { peopleOf: async () => [name] };
  const round = readNames({ db: { ...db, transaction }, clock, log, api });
  const after = async (ms: number) => {
    passTime(ms);
    await round();
    return missing();
  };
  expect(await after(0)).toEqual([back.twitchId]);
  fails = false;
  // The same answer once more, a minute later.
  expect(await after(minute)).toEqual([]);
  fails = true;
  expect(await after(hour)).toEqual([]);
  fails = false;
  expect(await after(minute)).toEqual([gone.twitchId]);
});
