import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { announcePromises } from '#bot/commands/announce-promises.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { ircScopes, pinScope } from '#domain/identity/twitch/twitch-scopes.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { GRACE_MS, runRaffles } from '#domain/raffle/run-raffles.ts';
import { addBot, addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { addRaffle, enter, raffleOf } from '#tests/support/raffles.ts';
import { allChatScopes, setCarriers, settled } from './chat-carriers-stage.ts';
import { setStage, until } from './stage.ts';

interface Options {
  /** Number of chats that are read over IRC; the others are read by events. */
  maxChats: number;
  scopes: readonly string[];
  /** True if our account moderates the chat. */
  moderates?: boolean;
}

const carriers: [string, Options][] = [
  ['by events', { maxChats: 0, scopes: [...allChatScopes, pinScope] }],
  ['over IRC', { maxChats: 3, scopes: [...allChatScopes, pinScope] }],
  ['and written over IRC', { maxChats: 3, scopes: [...ircScopes, pinScope] }],
];
const alone: Options = { maxChats: 3, scopes: [...ircScopes, pinScope] };

/** A raffle in a chat that is read by one carrier; somebody has entered, and its list is closed on demand. */
async function setClosing({ maxChats, scopes, moderates = false }: Options) {
  const base = await setStage();
  const announcing = announcePromises(base.deps);
  /** The lines with the closed list that Twitch took. */
  const taken: string[] = [];
  const stage = await setCarriers({
    stage: base,
    maxChats,
    scopes,
    reply: ({ text }) => `answer to ${text}`,
    takeAnnouncements: async (...asked) =>
      (await announcing(...asked)).map((line) => ({
        ...line,
        onTaken(messageId) {
          if (line.text.includes('List: ')) taken.push(line.text);
          line.onTaken?.(messageId);
        },
      })),
  });
  const room = stage.addRoom();
  if (moderates) stage.world.addModerator(room.channelId, stage.ours.id);
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
  const nowMs = clock.now() - minute - GRACE_MS;
  const raffleId = await addRaffle(db, owner, {}, nowMs);
  const { twitchId } = await addPerson(db);
  await enter(db, raffleId, { channelId: room.channelId, twitchIds: [twitchId], nowMs });
  // The line with its start comes first.
  await until(
    () => stage.said(room.channelId),
    (lines) => lines.length > 0,
  );
  const viewer = stage.world.addUser({ login: 'demo_talker' });
  const close = async () => {
    await closeRaffle(db, { raffleId }, clock.now() - GRACE_MS);
    await runRaffles(db, clock.now());
  };
  const pinned = () => {
    const { messageId } = stage.world.pins.get(room.channelId) ?? {};
    return stage.world.chatLog(room.channelId).find(({ id }) => id === messageId)?.text ?? null;
  };
  const raffle = () => raffleOf(db, raffleId);
  return {
    ...{ ...stage, room, raffleId, close, pinned, taken, raffle },
    /** Closes the list, and waits until its line is in the chat and counts. */
    async closeAndReceive() {
      await close();
      await until(raffle, (one) => one.announcedAtMs !== null);
    },
    /** Waits until the list counts as announced; a chat that did not take its line rests meanwhile. */
    async announcedAfterRest() {
      let reads = 0;
      await until(
        async () => {
          if (reads % 40 === 39 && reads < 320) stage.elapse(10 * second);
          reads += 1;
          return raffle();
        },
        (one) => one.announcedAtMs !== null,
      );
    },
    /** Our lines with the closed list. */
    received: () => stage.said(room.channelId).filter((text) => text.includes('List: ')),
    /** Waits for an answer in the chat, and until everything that came before the next command has arrived. */
    async talk(command: string) {
      const say = (text: string) => stage.world.say(room.channelId, viewer.id, text);
      say(command);
      await until(
        () => stage.said(room.channelId),
        (lines) => lines.includes(`answer to ${command}`),
      );
      say(`${command} again`);
      await until(
        () => stage.received,
        (all) => all.some(({ text }) => text === `${command} again`),
      );
    },
  };
}

/** Notes each pin that Twitch takes, and each question for one. */
function watchPins({ world }: Awaited<ReturnType<typeof setClosing>>) {
  const calls: ('get' | 'set')[] = [];
  const { get, set } = world.pins;
  world.pins.get = (id) => {
    calls.push('get');
    return get.call(world.pins, id);
  };
  world.pins.set = (id, pin) => {
    calls.push('set');
    return set.call(world.pins, id, pin);
  };
  return calls;
}

describe.each(carriers)('The line with a closed list, in a chat read %s', (_how, options) => {
  test('counts as announced once it is in the chat, and is pinned where the bot moderates', async () => {
    const { close, pinned, raffle } = await setClosing({ ...options, moderates: true });
    await close();
    const { announcedAtMs, listHash } = await until(raffle, (one) => one.announcedAtMs !== null);
    expect(announcedAtMs).toBeGreaterThan(0);
    expect(await until(pinned, (text) => text !== null)).toContain(listHash ?? '');
  });

  test('neither counts nor is repeated if AutoMod holds it', async () => {
    const { world, room, close, faults, received, talk, taken, raffle } = await setClosing(options);
    world.faults.refuseChat(room.channelId, 'msg_rejected');
    await close();
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'restricted',
    );
    world.faults.refuseChat(room.channelId, null);
    await talk('!rewards');
    expect([taken, received()]).toEqual([[], []]);
    expect(await raffle()).toMatchObject({ state: 'sealed', announcedAtMs: null });
  });

  test('is sent once the chat takes lines again', async () => {
    const { world, room, close, faults, received, taken, announcedAfterRest } = await setClosing(options);
    world.faults.refuseChat(room.channelId, 'msg_followersonly');
    await close();
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'restricted',
    );
    expect([taken, received()]).toEqual([[], []]);
    world.faults.refuseChat(room.channelId, null);
    await announcedAfterRest();
    expect([taken.length, received().length]).toEqual([1, 1]);
  });
});

test('A list that Twitch dropped as too soon twice is sent a third time', async () => {
  const { world, close, received, announcedAfterRest } = await setClosing({
    ...alone,
    scopes: allChatScopes,
  });
  world.faults.dropNextLine('msg_ratelimit', 2);
  await close();
  await announcedAfterRest();
  expect(received()).toHaveLength(1);
});

test('A list whose answer is lost is not sent a second time', async () => {
  const { world, close, received, talk, raffle } = await setClosing({ ...alone, scopes: allChatScopes });
  world.faults.failNext({ method: 'POST', path: '/mock/chat/messages', answer: 503, afterEffect: true });
  await close();
  await until(received, (lines) => lines.length > 0);
  await talk('!rewards');
  expect(received()).toHaveLength(1);
  expect(await raffle()).toMatchObject({ state: 'sealed', announcedAtMs: null });
});

test('A chat that did not take a closed list rests before it is tried again', async () => {
  const { deps, db, room, close, elapse, stop } = await setClosing(alone);
  // Its lines are taken here.
  await stop();
  const announcing = announcePromises(deps);
  await close();
  const take = async () => (await announcing([room.login], 20)).filter(({ text }) => text.includes('List: '));
  const [line] = await until(take, (lines) => lines.length > 0);
  line?.onUnsent?.();
  await until(
    () => db.read.select().from(chatAnnouncements),
    (stored) => stored.length > 0,
  );
  expect(await take()).toEqual([]);
  elapse(15 * second);
  expect(await take()).toHaveLength(1);
});

describe('In a chat that other channels share, a closed list', () => {
  test('is in its own channel alone, if the line can be', async () => {
    const { world, room, closeAndReceive, received, said } = await setClosing({
      ...alone,
      scopes: allChatScopes,
    });
    const guest = world.addUser({ login: 'demo_guest' });
    world.sharedChats.begin(room.channelId, [guest.id], Date.now());
    await closeAndReceive();
    expect([received().length, said(guest.id)]).toEqual([1, []]);
  });

  test('waits otherwise until nobody shares it', async () => {
    const { world, room, close, faults, elapse, received, said, raffle, announcedAfterRest } =
      await setClosing(alone);
    const guest = world.addUser({ login: 'demo_guest' });
    world.sharedChats.begin(room.channelId, [guest.id], Date.now());
    // Twitch is asked again.
    elapse(10 * second);
    await close();
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'shared',
    );
    expect(await raffle()).toMatchObject({ state: 'sealed', announcedAtMs: null });
    world.sharedChats.end(guest.id);
    await announcedAfterRest();
    expect([received().length, said(guest.id)]).toEqual([1, []]);
  });
});

test('Nothing is unpinned for the line', async () => {
  const stage = await setClosing({ ...alone, moderates: true });
  const { world, room, closeAndReceive, talk } = stage;
  const theirs = world.say(room.channelId, room.channelId, 'Rules of this chat');
  world.pins.set(room.channelId, { messageId: theirs.id, userId: room.channelId });
  const calls = watchPins(stage);
  await closeAndReceive();
  await until(
    () => calls,
    (all) => all.length > 0,
  );
  await talk('!rewards');
  expect(calls).toEqual(['get']);
});

test('Without the permission the line is not pinned', async () => {
  const stage = await setClosing({ ...alone, scopes: ircScopes, moderates: true });
  const calls = watchPins(stage);
  await stage.closeAndReceive();
  await stage.talk('!rewards');
  expect([calls, stage.received().length]).toEqual([[], 1]);
});
