import { expect, test } from 'vitest';
import { trackCursors } from '#bot/twitch/channel/cursors.ts';
import { watchedChannelsOf } from '#bot/twitch/channel/watched-channels.ts';
import { users } from '#db/schema/user.ts';
import { recordReading } from '#domain/channel/record-reading.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { countStatements } from '#tests/support/counting-statements.ts';
import { openLoneDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const stream = { streamId: 's1', startedAtMs: START_MS, gameName: '', title: '' };

/** Three channels with a rule each, whose ids end differently. */
async function addChannels(db: Awaited<ReturnType<typeof openLoneDatabase>>) {
  const owners = [await addStreamer(db), await addStreamer(db), await addStreamer(db)] as const;
  const [first, second, third] = owners;
  const ruleIds: string[] = [];
  for (const owner of owners) ruleIds.push(await addRule(db, owner, { rewards: 0 }));
  return { first, second, third, ruleIds };
}

test('Only channels that changed are read again, and the list is as if it had been read whole', async () => {
  await using db = await openLoneDatabase();
  const { first, second, third, ruleIds } = await addChannels(db);
  const watched = watchedChannelsOf(db);
  const [before] = await Promise.all([watched(), watched()]);
  await recordStream(db, { channelId: second.twitchId, stream }, START_MS);
  const after = await watched();
  expect(after).toEqual(await listWatchedChannels(db.read));
  const objectOf = (list: typeof after, id: string) => list.find((channel) => channel.id === id);
  for (const { twitchId } of [first, third])
    expect(objectOf(after, twitchId)).toBe(objectOf(before, twitchId));
  expect(objectOf(after, second.twitchId)).toMatchObject({ live: true, streamId: 's1' });
  await closeRule(db, { ruleId: ruleIds[0] as string, userId: first.userId }, START_MS);
  const fourth = await addStreamer(db);
  await addRule(db, fourth, { rewards: 0 });
  expect((await watched()).map(({ id }) => id)).toEqual([second.twitchId, third.twitchId, fourth.twitchId]);
});

test('Another commit costs one statement, and none until then', async () => {
  await using db = await openLoneDatabase();
  await addChannels(db);
  const watched = watchedChannelsOf(db);
  await watched();
  const reading = () => countStatements(watched);
  const idle = await reading();
  await db.transaction((tx) => tx.update(users).set({ name: 'Changed' }));
  expect(await reading()).toBe(idle + 1);
  expect(await reading()).toBe(idle);
});

test('A reading that failed is made again', async () => {
  await using db = await openLoneDatabase();
  await addChannels(db);
  let isAway = true;
  const read = () => {
    if (isAway) throw new Error('away');
    return db.read;
  };
  const watched = watchedChannelsOf({
    ...db,
    get read() {
      return read();
    },
  });
  await expect(watched()).rejects.toThrow('away');
  isAway = false;
  expect(await watched()).toHaveLength(3);
});

test('A cursor is read again once a reading has moved it, another process had it, or its stream changed', async () => {
  await using db = await openLoneDatabase();
  const { first } = await addChannels(db);
  const channelId = first.twitchId;
  await recordStream(db, { channelId, stream }, START_MS);
  const watched = watchedChannelsOf(db);
  const lease = { name: 'twitch:1', epoch: 1 };
  const cursors = trackCursors({ db, slots: { leaseOf: () => lease as never } });
  const sinceMs = async () =>
    (await cursors.read(await watched())).find(({ id }) => id === channelId)?.unread?.sinceMs;
  const record = (ms: number) =>
    recordReading(db, { channelId, unread: { reason: 'notPolled', sinceMs: ms } });
  expect(await sinceMs()).toBeUndefined();
  await record(1);
  expect(await sinceMs()).toBeUndefined();
  cursors.clear(channelId);
  expect(await sinceMs()).toBe(1);
  await record(2);
  lease.epoch = 2;
  expect(await sinceMs()).toBe(2);
  await record(3);
  await recordStream(db, { channelId, stream: null }, START_MS);
  expect(await sinceMs()).toBe(3);
});
