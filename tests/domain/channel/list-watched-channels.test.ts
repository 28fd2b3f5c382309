import { describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { getChannelLocale } from '#domain/channel/get-channel-locale.ts';
import { listWatchedChannels } from '#domain/channel/list-watched-channels.ts';
import { recordStream } from '#domain/channel/record-stream.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const stream = { streamId: 's1', startedAtMs: START_MS, gameName: '', title: '' };

describe('The watched channels', () => {
  test('are those with an open rule, and live ones that had one', async () => {
    await using database = await openTestDatabase();
    const [watching, following, none] = [
      await addStreamer(database),
      await addStreamer(database),
      await addStreamer(database),
    ];
    const ruleId = await addRule(database, watching, { rewards: 0 });
    await addRule(database, watching, { rewards: 0 });
    await addRule(database, following, { rewards: 0, followDays: 7 });
    const watched = async () =>
      (await listWatchedChannels(database.read)).map(({ id, hasOpenRule, needs, live }) => ({
        id,
        hasOpenRule,
        needs: Object.entries(needs).flatMap(([key, needed]) => (needed ? [key] : [])),
        live,
      }));
    const [first, second] = [
      { id: watching.twitchId, hasOpenRule: true, needs: ['watch'], live: false },
      { id: following.twitchId, hasOpenRule: true, needs: ['watch', 'follow'], live: false },
    ];
    expect(await watched()).toEqual([first, second]);
    await closeRule(database, { ruleId, userId: watching.userId }, START_MS);
    expect(await watched()).toEqual([first, second]);
    await recordStream(database, { channelId: none.twitchId, stream }, START_MS);
    expect(await watched()).toEqual([
      first,
      second,
      { id: none.twitchId, hasOpenRule: false, needs: [], live: true },
    ]);
  });

  test('keep counting while their rules are paused, as long as they can be read', async () => {
    await using database = await openTestDatabase();
    const streamer = await addStreamer(database);
    await addRule(database, streamer, { rewards: 0, followDays: 7 });
    const place = { channelId: streamer.twitchId };
    await database.transaction((tx) => pauseRulesOf(tx, { ...place, reason: 'operator' }, START_MS));
    const [paused] = await listWatchedChannels(database.read);
    expect(paused).toMatchObject({ hasOpenRule: false, countsWatching: true, needs: { follow: false } });
    await database.transaction(async (tx) => {
      await tx.update(twitchAccounts).set({ state: 'restricted' });
    });
    expect(await listWatchedChannels(database.read)).toMatchObject([{ countsWatching: false }]);
  });

  test('have their broadcaster’s language, or English when nobody is linked', async () => {
    await using database = await openTestDatabase();
    const streamer = await addStreamer(database);
    expect(await getChannelLocale(database.read, streamer.twitchId)).toBe('en');
    expect(await getChannelLocale(database.read, '1')).toBe('en');
  });
});
