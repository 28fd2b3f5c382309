import { eq, like } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { announcePromises } from '#bot/commands/announce-promises.ts';
import { channels } from '#db/schema/channel.ts';
import { leases } from '#db/schema/lease.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { newId } from '#domain/kernel/id.ts';
import { addStreamer } from '#tests/support/fixtures.ts';
import { holdOnce } from '#tests/support/held-once.ts';
import { endLeases, occupyLeases } from '#tests/support/leases.ts';
import { setCarriers, settled } from './chat-carriers-stage.ts';
import { inChat, setChat } from './chat-stage.ts';
import { type Stage, setStage, until } from './stage.ts';

/** The lease of the only chat account. */
async function chatLease({ db }: Pick<Stage, 'db'>) {
  const [lease] = await db.read.select().from(leases).where(like(leases.name, 'chat:%'));
  return lease;
}

test('An account is renewed in time while its announcements take long', async () => {
  let isAsked = false;
  let answer = () => {};
  const answered = new Promise<[]>((resolve) => {
    answer = () => resolve([]);
  });
  const stage = await setCarriers({
    takeAnnouncements() {
      isAsked = true;
      return answered;
    },
  });
  stage.setRooms([stage.addRoom()]);
  await settled(stage.chats, 'in 1 of 1 channels');
  await until(
    () => isAsked,
    (is) => is,
  );
  const before = (await chatLease(stage))?.untilMs ?? 0;
  await until(
    () => chatLease(stage),
    (lease) => (lease?.untilMs ?? 0) > before,
  ).finally(answer);
});

test('Whoever has lost the lease of a channel’s work ends all of it, and gives up its account', async () => {
  const { stage, streamer } = await setChat();
  const bot = await stage.startBot();
  await inChat(stage, streamer.twitchId);
  expect(await chatLease(stage)).toMatchObject({ holder: expect.any(String) });
  await endLeases(stage.db, ['twitch:0']);
  await occupyLeases(stage.db, ['twitch:0']);
  await bot.stop();
  expect(await chatLease(stage)).toMatchObject({ holder: null });
});

/** A chat with an announcement, whose taking is held up once it has left the database. */
async function setAnnouncement() {
  const base = await setStage();
  const announcing = announcePromises(base.deps);
  const taking = holdOnce();
  const stage = await setCarriers({
    stage: base,
    async takeAnnouncements(...asked) {
      const lines = await announcing(...asked);
      if (lines.length > 0) await taking.wait();
      return lines;
    },
  });
  const { db, deps } = stage;
  const room = stage.addRoom();
  const streamer = await addStreamer(db);
  const createdAtMs = deps.clock.now();
  await db.transaction(async (tx) => {
    const own = { id: room.channelId, login: room.login };
    await tx.update(channels).set(own).where(eq(channels.id, streamer.twitchId));
    const named = { names: [], others: 0, ruleName: '', line: 'a win', createdAtMs };
    await tx
      .insert(chatAnnouncements)
      .values({ id: newId(createdAtMs), channelId: room.channelId, ...named });
  });
  stage.setRooms([room]);
  await taking.isReached;
  return { stage, room, taking, stored: () => db.read.select().from(chatAnnouncements) };
}

test('A stop gives the account up although what is to be announced is still being taken, which comes back after the lease', async () => {
  const { stage, room, taking, stored } = await setAnnouncement();
  const stopped = stage.stop();
  await until(
    () => chatLease(stage),
    (lease) => lease?.holder === null,
  );
  await endLeases(stage.db, ['twitch:0']);
  await occupyLeases(stage.db, ['twitch:0']);
  expect(await stored()).toEqual([]);
  taking.release();
  await stopped;
  await until(stored, (rows) => rows.length === 1);
  expect(stage.said(room.channelId)).toEqual([]);
});
