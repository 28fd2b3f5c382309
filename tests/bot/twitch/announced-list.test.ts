import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { announcePromises } from '#bot/commands/announce-promises.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { pinScope } from '#domain/identity/twitch/twitch-scopes.ts';
import { minute } from '#domain/kernel/time.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { GRACE_MS, runRaffles } from '#domain/raffle/run-raffles.ts';
import { addBot, addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { addRaffle, enter, raffleOf } from '#tests/support/raffles.ts';
import { allChatScopes, setCarriers, settled } from './chat-carriers-stage.ts';
import { setStage, until } from './stage.ts';

/** A raffle in a chat that is read by one carrier; somebody has entered, and its list is closed on demand. */
async function setClosing(
  carrier: 'events' | 'irc',
  { scopes = [...allChatScopes, pinScope] as readonly string[] } = {},
) {
  const base = await setStage();
  const taken = announcePromises(base.deps);
  const maxChats = carrier === 'events' ? 0 : 3;
  const stage = await setCarriers({ stage: base, maxChats, scopes, takeAnnouncements: taken });
  const room = stage.addRoom();
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
  const { clock } = stage.deps;
  const owner = { ...streamer, twitchId: room.channelId };
  const nowMs = clock.now() - minute;
  const raffleId = await addRaffle(db, owner, {}, nowMs);
  const { twitchId } = await addPerson(db);
  await enter(db, raffleId, { channelId: room.channelId, twitchIds: [twitchId], nowMs });
  const close = async () => {
    await closeRaffle(db, { raffleId }, clock.now() - GRACE_MS);
    await runRaffles(db, clock.now());
  };
  const pinned = () => {
    const { messageId } = stage.world.pins.get(room.channelId) ?? {};
    return stage.world.chatLog(room.channelId).find(({ id }) => id === messageId)?.text ?? null;
  };
  return { ...stage, room, raffleId, close, pinned, raffle: () => raffleOf(db, raffleId) };
}

describe.each(['events', 'irc'] as const)('The line with a closed list, in a chat read by %s', (carrier) => {
  test('counts as announced once it is in the chat, and is pinned where the bot moderates', async () => {
    const { world, room, ours, close, pinned, raffle } = await setClosing(carrier);
    world.addModerator(room.channelId, ours.id);
    await close();
    const { announcedAtMs, listHash } = await until(raffle, (one) => one.announcedAtMs !== null);
    expect(announcedAtMs).toBeGreaterThan(0);
    expect(await until(pinned, (text) => text !== null)).toContain(listHash ?? '');
  });

  test('does not count while Twitch refuses it', async () => {
    const { world, room, close, faults, said, raffle } = await setClosing(carrier);
    world.faults.refuseChat(room.channelId, 'msg_rejected');
    await close();
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'restricted',
    );
    expect(said(room.channelId)).toEqual([]);
    expect(await raffle()).toMatchObject({ state: 'sealed', announcedAtMs: null });
  });
});

test('Nothing is unpinned for the line, and without the permission it is not pinned', async () => {
  const { world, room, ours, close, raffle, said } = await setClosing('irc');
  world.addModerator(room.channelId, ours.id);
  const theirs = world.say(room.channelId, room.channelId, 'Rules of this chat');
  world.pins.set(room.channelId, { messageId: theirs.id, userId: room.channelId });
  const asked: string[] = [];
  const get = world.pins.get.bind(world.pins);
  world.pins.get = (id) => {
    asked.push(id);
    return get(id);
  };
  await close();
  await until(raffle, (one) => one.announcedAtMs !== null);
  await until(
    () => asked,
    (all) => all.length > 0,
  );
  expect(get(room.channelId)?.messageId).toBe(theirs.id);
  expect(said(room.channelId).at(-1)).toContain((await raffle()).listHash ?? '');

  const without = await setClosing('irc', { scopes: allChatScopes });
  without.world.addModerator(without.room.channelId, without.ours.id);
  await without.close();
  await until(without.raffle, (one) => one.announcedAtMs !== null);
  expect(without.pinned()).toBeNull();
});
