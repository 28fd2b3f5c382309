import { like } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { leases } from '#db/schema/lease.ts';
import { endLeases, occupyLeases } from '#tests/support/leases.ts';
import { setCarriers, settled } from './chat-carriers-stage.ts';
import { inChat, setChat } from './chat-stage.ts';
import { type Stage, until } from './stage.ts';

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

test('A stop gives the account up although what is to be announced is still being taken, which comes back', async () => {
  let isAsked = false;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let comesBack = 0;
  const stage = await setCarriers({
    async takeAnnouncements([channelLogin]) {
      if (channelLogin === undefined || isAsked) return [];
      isAsked = true;
      await answered;
      return [{ channelLogin, text: 'a win', onUnsent: () => void comesBack++ }];
    },
  });
  const room = stage.addRoom();
  stage.setRooms([room]);
  await until(
    () => isAsked,
    (is) => is,
  );
  const stopped = stage.stop();
  await until(
    () => chatLease(stage),
    (lease) => lease?.holder === null,
  ).finally(answer);
  await stopped;
  expect([comesBack, stage.said(room.channelId)]).toEqual([1, []]);
});
