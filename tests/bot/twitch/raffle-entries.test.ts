import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { answerRaffle, raffleOrder } from '#bot/commands/answer-raffle.ts';
import { gatherEntries } from '#bot/commands/gather-entries.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { raffles } from '#db/schema/raffle.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { addBot, addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { addRaffle, entriesOf, raffleDraft, raffleOf, stock } from '#tests/support/raffles.ts';
import { setCarriers, settled } from './chat-carriers-stage.ts';
import { setStage, until } from './stage.ts';

/** A raffle that runs in a chat, read by one carrier. */
async function setRaffle(carrier: 'events' | 'irc') {
  const base = await setStage();
  const entries = gatherEntries({ ...base.deps, botLogins: ['demo_own_bot'] });
  const stage = await setCarriers({
    stage: base,
    maxChats: carrier === 'events' ? 0 : 3,
    awaits: entries.awaits,
    onElsewhere: entries.elsewhere,
    reply: (message) => {
      entries.take(message);
      return null;
    },
  });
  const [room, elsewhere] = [stage.addRoom(), stage.addRoom()];
  stage.setRooms([room]);
  await settled(stage.chats, 'in 1 of 1 channels');
  const { db } = stage;
  await addBot(db);
  const streamer = await addStreamer(db);
  await db.transaction(async (tx) => {
    const own = { twitchId: room.channelId };
    await tx.update(twitchAccounts).set(own).where(eq(twitchAccounts.userId, streamer.userId));
    await tx
      .update(channels)
      .set({ id: room.channelId, login: room.login })
      .where(eq(channels.id, streamer.twitchId));
  });
  const nowMs = stage.deps.clock.now() - 1000;
  const owner = { ...streamer, twitchId: room.channelId };
  const raffleId = await addRaffle(db, owner, { moderatorsMayEnter: false }, nowMs);
  await entries.run();
  const viewer = (login: string) => stage.world.addUser({ login, displayName: login });
  return { ...stage, room, elsewhere, raffleId, entries, viewer };
}

const played = new Map<string, string[]>();

describe.each(['events', 'irc'] as const)('A raffle in a chat that is read by %s', (carrier) => {
  test('takes the keyword in any form, with notices too, and only from its own channel', async () => {
    const { db, world, room, elsewhere, raffleId, entries, viewer } = await setRaffle(carrier);
    const { channelId } = room;
    const say = (name: string, text: string, origin = {}) =>
      world.say(channelId, viewer(name).id, text, origin);
    say('plain', 'redline');
    say('command', '!Redline good luck');
    say('cyrillic', 'r\u0435dline');
    say('talker', 'redline is a nice skin');
    const ownBot = world.addUser({ login: 'demo_own_bot', displayName: 'Наш бот' });
    world.say(channelId, ownBot.id, 'redline');
    say('guest', 'redline', { sourceId: elsewhere.channelId });
    say('another_guest', '!redline', { sourceId: elsewhere.channelId });
    say('last', '!redline');
    // The subscription that brings notices may come after the one of the chat.
    const [streak, announced] = [viewer('streak'), viewer('announced')];
    await until(
      () => {
        world.say(channelId, streak.id, 'redline', { notice: 'watch_streak' });
        world.say(channelId, announced.id, '!redline', { notice: 'announcement' });
        return entriesOf(db, raffleId);
      },
      (all) => all.length === 6,
    );
    await entries.finish();
    const names = (await entriesOf(db, raffleId)).map(({ name }) => name ?? '');
    // Notices and lines are two subscriptions, which come in no order among each other.
    expect(names.toSorted()).toEqual(['announced', 'command', 'cyrillic', 'last', 'plain', 'streak']);
    played.set(carrier, names.toSorted());
    const lines = await until(
      () => db.read.select().from(chatAnnouncements),
      (all) => all.some(({ raffle }) => raffle?.kind === 'elsewhere'),
    );
    expect(lines.filter(({ raffle }) => raffle?.kind === 'elsewhere')).toHaveLength(1);
  });

  test('tells moderators apart', async () => {
    const { db, world, room, raffleId, viewer, received } = await setRaffle(carrier);
    const [moderator, other] = [viewer('moderating'), viewer('entering')];
    world.moderators.add(room.channelId, moderator.id, 'moderator');
    world.say(room.channelId, moderator.id, 'redline');
    world.say(room.channelId, other.id, 'redline');
    await until(
      () => entriesOf(db, raffleId),
      (all) => all.length > 0,
    );
    expect((await entriesOf(db, raffleId)).map(({ name }) => name)).toEqual(['entering']);
    expect(received.find(({ twitchId }) => twitchId === moderator.id)?.isModerator).toBe(true);
    expect(received.find(({ twitchId }) => twitchId === other.id)?.isModerator).toBeUndefined();
  });
});

test('Both carriers bring the same entries', () => {
  expect(played.get('irc')).toEqual(played.get('events'));
  expect(played.size).toBe(2);
});

test.each([
  ['!raffle', { kind: 'start', lengthMs: undefined }],
  ['!Raffle 5m', { kind: 'start', lengthMs: 5 * minute }],
  ['!raffle 15', { kind: 'start', lengthMs: 15 * minute }],
  ['!raffle 999m', { kind: 'start', lengthMs: 120 * minute }],
  ['!raffle draw', { kind: 'draw' }],
  ['!raffle cancel', { kind: 'cancel' }],
  ['!raffle constructor', null],
  ['!raffles', null],
])('“%s” orders %o', (text, order) => {
  expect(raffleOrder(text)).toEqual(order);
});

test('Only the broadcaster and moderators start a prepared raffle from chat', async () => {
  const { db, deps } = await setStage();
  await addBot(db);
  const streamer = await addStreamer(db);
  const nowMs = deps.clock.now();
  await stock(db, streamer, 1, nowMs);
  const raffleId = newId(nowMs);
  await prepareRaffle(db, { requestId: raffleId, userId: streamer.userId, draft: raffleDraft() }, nowMs);
  const order = answerRaffle({ ...deps, publicUrl: new URL('http://localhost:3000') });
  const said: string[] = [];
  const outlet = { waitMs: () => 0, say: async ({ text }: { text: string }) => void said.push(text) };
  let lines = 0;
  const say = (twitchId: string, text: string, role = {}) =>
    order(
      {
        id: `line-${lines++}`,
        channelId: streamer.twitchId,
        channelLogin: 'demo',
        twitchId,
        login: 'demo',
        displayName: 'Demo',
        text,
        sentAtMs: Date.now(),
        ...role,
      },
      outlet,
    );
  expect(await say('1', '!claim')).toBe(false);
  expect(await say('1', '!raffle 2m')).toBe(true);
  expect((await raffleOf(db, raffleId)).state).toBe('prepared');
  await say('2', '!raffle 2m', { isModerator: true });
  expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'running', plannedEndMs: expect.any(Number) });
  await say(streamer.twitchId, '!raffle');
  await say(streamer.twitchId, '!raffle cancel');
  expect((await raffleOf(db, raffleId)).state).toBe('cancelled');
  await say(streamer.twitchId, '!raffle');
  expect(said).toEqual([
    `A raffle runs: !redline. http://localhost:3000/raffle/${raffleId}`,
    'The raffle is cancelled. Nothing is given away.',
    'No raffle is prepared. http://localhost:3000/raffles',
  ]);
});

test('A raffle whose entries cannot be written holds no other one up', async () => {
  const { db, deps } = await setStage();
  await addBot(db);
  const [first, second] = [await addStreamer(db), await addStreamer(db)];
  const viewer = await addPerson(db);
  const nowMs = deps.clock.now() - 1000;
  const broken = await addRaffle(db, first, {}, nowMs);
  const sound = await addRaffle(db, second, {}, nowMs);
  await db.transaction(async (tx) => {
    await tx.update(raffles).set({ seed: sql`'sealed:broken'` }).where(eq(raffles.id, broken));
  });
  const entries = gatherEntries({ ...deps, botLogins: [] });
  await entries.run();
  for (const { twitchId: channelId } of [first, second])
    entries.take({
      ...{ id: `line-${channelId}`, channelId, channelLogin: 'demo', twitchId: viewer.twitchId },
      ...{ login: 'demo', displayName: 'Demo', text: 'redline', sentAtMs: Date.now() },
    });
  await entries.run();
  expect(await entriesOf(db, sound)).toHaveLength(1);
  expect(await entriesOf(db, broken)).toEqual([]);
  await entries.finish();
});
