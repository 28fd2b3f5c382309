import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { channels } from '#db/schema/channel.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { listChannels, listGames } from '#domain/channel/list-channels.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

test('Channels with an open rule are listed with their free rewards, page by page, and found by name', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const [first, second, idle] = [await addStreamer(db), await addStreamer(db), await addStreamer(db)];
  await addRule(db, first, { rewards: 3 });
  await addRule(db, first, { rewards: 0 });
  await addRule(db, second, { rewards: 1 });
  const closed = await addRule(db, idle, { rewards: 0 });
  await closeRule(db, { ruleId: closed, userId: idle.userId }, START_MS);
  await db.transaction(async (tx) => {
    await tx.update(channels).set({ live: true }).where(eq(channels.id, second.twitchId));
  });

  const all = await listChannels(db, {});
  expect(all.rows.map(({ id, openRules, freeRewards }) => [id, openRules, freeRewards])).toEqual([
    [second.twitchId, 1, 1],
    [first.twitchId, 2, 3],
  ]);
  const page = await listChannels(db, { size: 1 });
  expect(page.rows.map(({ id }) => id)).toEqual([second.twitchId]);
  const rest = await listChannels(db, { size: 1, after: page.next });
  expect([rest.rows.map(({ id }) => id), rest.next]).toEqual([[first.twitchId], null]);
  const idsOf = async (asked: Parameters<typeof listChannels>[1]) =>
    (await listChannels(db, asked)).rows.map(({ id }) => id);
  expect(await idsOf({ live: true })).toEqual([second.twitchId]);
  expect(await idsOf({ live: false })).toEqual([first.twitchId]);
  expect(await idsOf({ search: `CHANNEL ${first.twitchId}` })).toEqual([first.twitchId]);
  expect(await idsOf({ search: '%' })).toEqual([]);

  await addRule(db, first, { type: 'random', rewards: 0, claimTimeoutHours: 24 });
  await db.transaction(async (tx) => {
    await tx.update(channels).set({ gameName: 'Dota 2' }).where(eq(channels.id, second.twitchId));
  });
  expect(await idsOf({ ruleType: 'random' })).toEqual([first.twitchId]);
  expect(await idsOf({ game: 'Dota 2' })).toEqual([second.twitchId]);
  expect(await listGames(db)).toEqual(['Dota 2']);
  const timeouts = (await listChannels(db, {})).rows.map((row) => [row.minClaimHours, row.maxClaimHours]);
  expect(timeouts).toEqual([
    [72, 72],
    [24, 72],
  ]);
  expect(await setChannelHidden(db, { userId: second.userId, hidden: true }, START_MS)).toEqual({
    ok: true,
  });
  expect([await idsOf({}), await listGames(db)]).toEqual([[first.twitchId], []]);
});
