import { expect, test } from 'vitest';
import { sweepHourly } from '#bot/twitch/channel/sweep-hourly.ts';
import type { Database } from '#db/database.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';

/** Channels with open rules, and the sweeps of a process that has those of `mine`. */
async function setSweeps(db: Database, { amount = 4, areAllHere = true } = {}) {
  const mine = new Set<string>();
  for (let n = 0; n < amount; n++) {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { watchMinutes: 1, rewards: 0 });
    mine.add(streamer.twitchId);
  }
  const lost = new Set<string>();
  const swept: string[] = [];
  let nowMs = START_MS;
  const sweep = sweepHourly({
    clock: { now: () => nowMs, stop: () => {} },
    watched: async () => (await listWatchedChannels(db.read)).filter(({ id }) => mine.has(id)),
    slots: {
      areAllHere: () => areAllHere,
      leaseOf: (id) => heldLease(db, { name: `chat:${id}` }),
      databaseFor: ([lease]) => {
        const id = lease?.name.slice('chat:'.length) ?? '';
        if (lease && lost.has(id)) throw new LeaseLost(lease);
        swept.push(id);
        return db;
      },
    },
  });
  /** Lets time pass and returns which channels are swept then. */
  const after = async (ms: number) => {
    nowMs += ms;
    await sweep(new AbortController().signal);
    return swept.splice(0);
  };
  return { mine, lost, after };
}

test('A process that is alone sweeps all channels at the start, and each once in every hour', async () => {
  await using db = await openTestDatabase();
  const { mine, after } = await setSweeps(db);
  expect((await after(0)).sort()).toEqual([...mine].sort());
  for (const _ of [1, 2]) expect((await after(hour)).sort()).toEqual([...mine].sort());
});

test('A channel that another process has by now holds up no other one', async () => {
  await using db = await openTestDatabase();
  const { mine, lost, after } = await setSweeps(db);
  const [gone, ...others] = [...mine] as [string, ...string[]];
  lost.add(gone);
  expect((await after(0)).sort()).toEqual(others.sort());
});

test('Channels that come from another process are swept in their turns, which they keep wherever they are', async () => {
  await using db = await openTestDatabase();
  const { mine, after } = await setSweeps(db, { amount: 24, areAllHere: false });
  const all = [...mine].sort();
  const turns = [await after(0)];
  for (let part = 0; part < 6; part++) turns.push(await after(10 * minute));
  expect(turns.flat().sort()).toEqual(all);
  expect(Math.max(...turns.map(({ length }) => length))).toBeLessThan(12);
  mine.clear();
  await after(0);
  for (const id of all) mine.add(id);
  const again = [await after(0)];
  for (let part = 0; part < 6; part++) again.push(await after(10 * minute));
  expect(again).toEqual(turns);
});
