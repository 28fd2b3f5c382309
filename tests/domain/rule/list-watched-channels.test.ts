import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { getChannelLocale } from '#domain/channel/get-channel-locale.ts';
import { recordChatFault } from '#domain/channel/record-chat-fault.ts';
import { countChats } from '#domain/chat/count-chats.ts';
import { botScope, streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const stream = { streamId: 's1', startedAtMs: START_MS, gameName: '', title: '' };

describe('The watched channels', () => {
  test('are those with an open rule, and live ones that had one', async () => {
    await using db = await openTestDatabase();
    const [watching, following, none] = [await addStreamer(db), await addStreamer(db), await addStreamer(db)];
    const ruleId = await addRule(db, watching, { rewards: 0 });
    await addRule(db, watching, { rewards: 0 });
    await addRule(db, following, { rewards: 0, followDays: 7 });
    const watched = async () =>
      (await listWatchedChannels(db.read)).map(({ id, hasOpenRule, needs, live }) => ({
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
    await closeRule(db, { ruleId, userId: watching.userId }, START_MS);
    expect(await watched()).toEqual([first, second]);
    await recordStream(db, { channelId: none.twitchId, stream }, START_MS);
    expect(await watched()).toEqual([
      first,
      second,
      { id: none.twitchId, hasOpenRule: false, needs: [], live: true },
    ]);
  });

  test('say who lets the bot in, and which chats it cannot be in are counted', async () => {
    await using db = await openTestDatabase();
    const [open, closed, past] = [
      await addPerson(db, { scopes: [...streamerScopes, botScope] }),
      await addStreamer(db),
      await addStreamer(db),
    ];
    await db.transaction(async (tx) => {
      const names = { login: 'demo_open', displayName: 'Demo open' };
      await tx.insert(channels).values({ id: open.twitchId, ...names, lastSeenAtMs: START_MS });
    });
    for (const streamer of [open, open, closed]) await addRule(db, streamer, { rewards: 0 });
    const allowing = (await listWatchedChannels(db.read)).filter(({ allowsBot }) => allowsBot);
    expect(allowing.map(({ id }) => id)).toEqual([open.twitchId]);
    for (const { twitchId: channelId } of [closed, past])
      await recordChatFault(db, { channelId, fault: 'notAllowed' }, START_MS);
    expect(await countChats(db.read)).toEqual({ all: 2, notAllowed: 1, shared: 0 });
  });

  test('keep counting while their rules are paused, as long as they can be read', async () => {
    await using db = await openTestDatabase();
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { rewards: 0, followDays: 7 });
    const place = { channelId: streamer.twitchId };
    await db.transaction((tx) => pauseRulesOf(tx, { ...place, reason: 'operator' }, START_MS));
    const [paused] = await listWatchedChannels(db.read);
    expect(paused).toMatchObject({ hasOpenRule: false, countsWatching: true, needs: { follow: false } });
    await db.transaction(async (tx) => {
      await tx.update(twitchAccounts).set({ state: 'restricted' });
    });
    expect(await listWatchedChannels(db.read)).toMatchObject([{ countsWatching: false }]);
  });

  test('have their broadcaster’s language, or English when nobody is linked', async () => {
    await using db = await openTestDatabase();
    const streamer = await addStreamer(db);
    expect(await getChannelLocale(db.read, streamer.twitchId)).toBe('en');
    expect(await getChannelLocale(db.read, '1')).toBe('en');
  });
});

test('Each watched channel has its own rules, account and place in its stream', async () => {
  await using db = await openTestDatabase();
  const [open, paused] = [await addStreamer(db), await addStreamer(db)];
  await addRule(db, open, { rewards: 0 });
  await addRule(db, paused, { rewards: 0, followDays: 7 });
  await db.transaction((tx) =>
    pauseRulesOf(tx, { channelId: paused.twitchId, reason: 'operator' }, START_MS),
  );
  await recordStream(db, { channelId: open.twitchId, stream }, START_MS);
  await db.transaction(async (tx) => {
    await tx
      .update(twitchAccounts)
      .set({ state: 'restricted' })
      .where(eq(twitchAccounts.twitchId, paused.twitchId));
  });
  expect(await listWatchedChannels(db.read)).toMatchObject([
    { id: open.twitchId, hasOpenRule: true, countsWatching: true, live: true, streamId: 's1' },
    { id: paused.twitchId, hasOpenRule: false, countsWatching: false, live: false, streamId: null },
  ]);
});

test('A live channel without a lasting rule counts no watching', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  await recordStream(db, { channelId: streamer.twitchId, stream }, START_MS);
  expect(await listWatchedChannels(db.read)).toMatchObject([
    { hasOpenRule: false, countsWatching: false, live: true },
  ]);
});
