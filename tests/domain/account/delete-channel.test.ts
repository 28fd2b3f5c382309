import { asc, eq, sql } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { channelDays, channelGuests, channels, excludedLogins, watchTimes } from '#db/schema/channel.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { deleteChannel } from '#domain/account/delete-channel.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { getChannelDays } from '#domain/view/get-channel-days.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';
import { addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { readChatters } from '#tests/support/stream.ts';

setScene();
let other: Person;
beforeEach(async () => {
  other = await addStreamer(db);
  await db.transaction(async (tx) => {
    await tx
      .update(channels)
      .set({ live: true, streamId: 's1', streamStartedAtMs: START_MS, title: 'Ranked' });
    for (const { twitchId: channelId } of [streamer, other]) {
      await tx.insert(channelDays).values({ channelId, dayMs: START_MS });
      const line = { names: [], others: 0, ruleName: 'Demo rule', createdAtMs: START_MS };
      await tx.insert(chatAnnouncements).values({ id: `of ${channelId}`, channelId, ...line });
    }
  });
});

const remove = (facts: { calledNow?: string } = {}) =>
  db.transaction((tx) => deleteChannel(tx, { channelId: streamer.twitchId, ...facts }));
const both = () => [streamer.twitchId, other.twitchId].sort();
/** The channels that have rows in a table. */
const channelsIn = async (table: typeof channelDays | typeof channelGuests | typeof excludedLogins) => {
  const rows = await db.read
    .select({ id: table.channelId })
    .from(table as typeof channelDays)
    .orderBy(asc(table.channelId));
  return rows.map(({ id }) => id);
};
const left = async () => {
  const rows = await db.read.select().from(channels).orderBy(asc(channels.id));
  return rows.map(({ id, displayName, login, live, title }) => ({ id, displayName, login, live, title }));
};
const admitGuests = async () => {
  const { userId } = await addPerson(db);
  await db.transaction(async (tx) => {
    for (const channelId of both())
      await tx.insert(channelGuests).values({ channelId, userId, admittedAtMs: START_MS });
  });
};
const excludeHelpers = () =>
  db.transaction(async (tx) => {
    for (const channelId of both())
      await tx.insert(excludedLogins).values({ channelId, login: 'demo_helper' });
  });

test('A channel that nothing refers to is deleted with its announcements, and no other', async () => {
  await remove();
  expect((await left()).map(({ id }) => id)).toEqual([other.twitchId]);
  const said = await db.read.select({ id: chatAnnouncements.channelId }).from(chatAnnouncements);
  expect(said).toEqual([{ id: other.twitchId }]);
  expect(await channelsIn(channelDays)).toEqual(both());
});

test.each([
  ['a rule', () => addRule(db, streamer, { rewards: 0 })],
  ['a guest', admitGuests],
  ['an excluded login', excludeHelpers],
])('A channel with %s stays as it is for an owner who may return', async (_, refer) => {
  await refer();
  const before = await left();
  await remove();
  expect(await left()).toEqual(before);
});

test('A channel that is given up keeps its rules and its id, and loses its name and settings', async () => {
  await addRule(db, streamer, { rewards: 0 });
  await admitGuests();
  await excludeHelpers();
  const before = (await left()).find(({ id }) => id === other.twitchId);
  await remove({ calledNow: 'Deleted account' });
  const after = await left();
  expect(after.find(({ id }) => id === other.twitchId)).toEqual(before);
  expect(after.find(({ id }) => id === streamer.twitchId)).toEqual({
    id: streamer.twitchId,
    displayName: 'Deleted account',
    login: '',
    live: false,
    title: '',
  });
  for (const table of [channelDays, channelGuests, excludedLogins] as const)
    expect(await channelsIn(table)).toEqual([other.twitchId]);
});

test('A channel without rules that is given up is deleted with its guests and settings', async () => {
  await admitGuests();
  await excludeHelpers();
  await remove({ calledNow: 'Deleted account' });
  expect((await left()).map(({ id }) => id)).toEqual([other.twitchId]);
});

test('A channel that is given up forgets the sums of its open day with its days', async () => {
  await addRule(db, streamer, { rewards: 0 });
  await readChatters(db, streamer.twitchId, ['1'], START_MS);
  await readChatters(db, streamer.twitchId, ['1'], START_MS + minute);
  await remove({ calledNow: 'Deleted account' });
  await rollUpChannels(db, START_MS + day);
  expect(await channelsIn(channelDays)).toEqual([other.twitchId]);
});

test('A broadcaster who returns on the day on which they left sees what was watched since', async () => {
  const { twitchId: channelId } = streamer;
  await addRule(db, streamer, { rewards: 0 });
  for (const minutes of [0, 2]) await readChatters(db, channelId, ['1'], START_MS + minutes * minute);
  await remove({ calledNow: 'Deleted account' });
  await db.transaction((tx) => tx.update(channels).set({ live: true, streamId: 's1' }));
  await readChatters(db, channelId, ['1'], START_MS + 3 * minute);
  const { days } = await getChannelDays(db, { channelId, period: 7 }, START_MS + 3 * minute);
  expect(days.at(-1)?.watchSeconds).toBe(60);
});

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test.skipIf(!serverUrl || !isPostgres)(
  'Those present keep what a reading counts while their channel is about to be deleted',
  async () => {
    const { twitchId: channelId } = streamer;
    for (const minutes of [0, 2]) await readChatters(db, channelId, ['1'], START_MS + minutes * minute);
    const [counted, mayCommit] = [gate(), gate()];
    const reading = db.transaction(async (tx) => {
      await tx
        .update(channels)
        .set({ counted: sql`${channels.counted} + 60` })
        .where(eq(channels.id, channelId));
      counted.open();
      await mayCommit.opened;
    });
    await counted.opened;
    const removed = remove();
    const isWaiting = sql`datname = current_database() and wait_event_type = 'Lock'`;
    await vi.waitFor(async () => {
      const waiting = await db.read.select({ pid: sql`pid` }).from(sql`pg_stat_activity`).where(isWaiting);
      expect(waiting).toHaveLength(1);
    });
    mayCommit.open();
    await Promise.all([reading, removed]);
    expect(await db.read.select({ seconds: watchTimes.seconds }).from(watchTimes)).toEqual([
      { seconds: 180 },
    ]);
  },
);
