import { describe, expect, test } from 'vitest';
import { chatSender } from '#bot/twitch/chat/chat-sender.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';
import { ircScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { second } from '#domain/kernel/time.ts';
import { allChatScopes, setCarriers, settled } from '#tests/bot/twitch/chat-carriers-stage.ts';
import { givenAlone } from '#tests/bot/twitch/points-stage.ts';
import { botLogin, clientId, until } from '#tests/bot/twitch/stage.ts';
import { skippableTime } from '#tests/support/passing-time.ts';

interface Options {
  maxChats: number;
  scopes: readonly string[];
  allowsBot?: boolean;
  isShared?: boolean;
}

/** A room that shares its chat with a channel of somebody else's, and one more that shares it with nobody. */
async function setShared({ maxChats, scopes, allowsBot = true, isShared = true }: Options) {
  const waiting: Line[] = [];
  let returned = 0;
  const stage = await setCarriers({
    ...{ maxChats, scopes },
    reply: ({ text }) => `answer to ${text}`,
    takeAnnouncements: async (logins) => {
      const taken = waiting.filter(({ channelLogin }) => logins.includes(channelLogin));
      waiting.splice(0, waiting.length, ...waiting.filter((each) => !taken.includes(each)));
      return taken;
    },
  });
  const [room, alone] = [stage.addRoom(allowsBot), stage.addRoom(allowsBot)];
  const guest = stage.world.addUser({ login: 'demo_guest' });
  const viewer = stage.world.addUser({ login: 'demo_talker' });
  const share = () => stage.world.sharedChats.begin(room.channelId, [guest.id], Date.now());
  if (isShared) share();
  stage.setRooms([room, alone]);
  await settled(stage.chats, 'in 2 of 2 channels');
  const ask = (channelId: string, text: string) => stage.world.say(channelId, viewer.id, text);
  const ours = (channelId: string) => stage.said(channelId);
  return {
    ...stage,
    ...skippableTime(),
    ...{ room, alone, guest, share, ask },
    announce(text: string) {
      const line: Line = { channelLogin: room.login, text, isAnnouncement: true };
      const comeBack = () => {
        returned += 1;
        waiting.push({ ...line, onUnsent: comeBack });
      };
      waiting.push({ ...line, onUnsent: comeBack });
    },
    /** Counts the announcements that came back. */
    returned: () => returned,
    waiting,
    async askUntilAnswered(text: string) {
      const before = ours(room.channelId).length;
      await until(
        () => {
          ask(room.channelId, text);
          return ours(room.channelId);
        },
        (lines) => lines.length > before,
        20_000,
      );
    },
    /** Waits until the other room is answered, and thus this one if it is at all. */
    async askAlone(text: string) {
      stage.world.say(alone.channelId, viewer.id, text);
      await until(
        () => stage.said(alone.channelId),
        (lines) => lines.includes(`answer to ${text}`),
      );
    },
  };
}

const carriers: [string, Options][] = [
  ['by events', { maxChats: 0, scopes: allChatScopes }],
  ['over IRC, if the streamer lets the bot in', { maxChats: 100, scopes: allChatScopes }],
];

describe('In a chat that other channels share', () => {
  test.each(carriers)('a line shows in the channel that it is for alone: %s', async (_how, options) => {
    const { room, guest, ask, said } = await setShared(options);
    ask(room.channelId, '!rewards');
    await until(
      () => said(room.channelId),
      (lines) => lines.length > 0,
    );
    expect(said(room.channelId)).toEqual(['answer to !rewards']);
    expect(said(guest.id)).toEqual([]);
  });

  test.each(carriers)('that was not a moment ago, it does so as well: %s', async (_how, options) => {
    const { world, room, guest, share, askUntilAnswered, said } = await setShared({
      ...options,
      isShared: false,
    });
    await askUntilAnswered('!rewards');
    share();
    await askUntilAnswered('!progress');
    expect(said(guest.id)).toEqual([]);
    const lines = world.chatLog(room.channelId).filter(({ text }) => text.startsWith('answer'));
    // No line went over IRC or with a user's token, also before.
    expect(lines.map(({ isSourceOnly }) => isSourceOnly)).toEqual(lines.map(() => true));
  });

  test.each([
    ['the account has not granted it', { maxChats: 100, scopes: ircScopes }],
    ['the streamer has not allowed it', { maxChats: 100, scopes: allChatScopes, allowsBot: false }],
  ])('nothing is said while %s, of which the streamer hears', async (_why, options) => {
    const { world, room, guest, ask, askAlone, said, faults, skip, announce, waiting, askUntilAnswered } =
      await setShared(options);
    ask(room.channelId, '!rewards');
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'shared',
    );
    announce('a win');
    await askAlone('!progress');
    expect([said(room.channelId), said(guest.id), [...faults.values()]]).toEqual([[], [], ['shared']]);
    expect(waiting).toHaveLength(1);
    world.sharedChats.end(guest.id);
    let skips = 0;
    // Nobody has to ask for it: what waits is said.
    await until(
      () => {
        if (skips < 4) skip(10 * second);
        skips += 1;
        return faults.get(room.channelId);
      },
      (fault) => fault === null,
      20_000,
    );
    await until(
      () => said(room.channelId),
      (lines) => lines.includes('a win'),
    );
    await askUntilAnswered('!claim');
    expect(said(guest.id)).toEqual([]);
  });

  test('an announcement waits for its end, and the streamer hears of it, though nobody wrote a command', async () => {
    const { world, room, guest, ask, askAlone, announce, waiting, said, faults, skip } = await setShared({
      ...{ maxChats: 100, scopes: ircScopes },
    });
    ask(room.channelId, 'hello');
    await askAlone('!progress');
    announce('a win');
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'shared',
    );
    expect([waiting.length, said(room.channelId)]).toEqual([1, []]);
    world.sharedChats.end(guest.id);
    let skips = 0;
    await until(
      () => {
        if (skips < 4) skip(10 * second);
        skips += 1;
        return said(room.channelId);
      },
      (lines) => lines.includes('a win'),
      20_000,
    );
    expect([said(guest.id), faults.get(room.channelId)]).toEqual([[], null]);
  });

  test('nothing is said from the first line on that shows it', async () => {
    const { room, guest, share, ask, askAlone, askUntilAnswered, said, faults } = await setShared({
      ...{ maxChats: 100, scopes: ircScopes, isShared: false },
    });
    await askUntilAnswered('!rewards');
    share();
    ask(room.channelId, '!progress');
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'shared',
    );
    await askAlone('!claim');
    expect(said(guest.id)).toEqual([]);
    expect(said(room.channelId).filter((text) => text.includes('!progress'))).toEqual([]);
  });

  test('lines go over IRC again where Twitch refuses them otherwise, unless the chat is shared', async () => {
    const { world, room, guest, share, ask, askAlone, said, faults, skip, askUntilAnswered } =
      await setShared({
        ...{ maxChats: 100, scopes: allChatScopes, isShared: false },
      });
    // Nobody tells us of it.
    world.tokens.withdraw(room.channelId, 'channel:bot');
    await askUntilAnswered('!rewards');
    expect(world.chatLog(room.channelId).at(-1)).not.toHaveProperty('isSourceOnly');
    share();
    skip(10 * second);
    ask(room.channelId, '!progress');
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'shared',
    );
    await askAlone('!claim');
    expect(said(guest.id)).toEqual([]);
  });

  test('nothing is said over IRC until Twitch has said whether it is shared', async () => {
    const { world, room, ask, said, skip } = await setShared({ maxChats: 100, scopes: ircScopes });
    world.sharedChats.end(room.channelId);
    for (let times = 0; times < 5; times += 1)
      world.faults.failNext({ method: 'GET', path: '/mock/shared_chat/session', answer: 503 });
    ask(room.channelId, '!rewards');
    let skips = 0;
    await until(
      () => {
        // Twitch is asked again; then the account's lease has to be renewed, which a clock that runs on would end at once.
        if (skips < 5) skip(10 * second);
        skips += 1;
        ask(room.channelId, '!progress');
        return said(room.channelId);
      },
      (lines) => lines.length > 0,
    );
    expect(said(room.channelId)).not.toContain('answer to !rewards');
  });
});

describe('An announcement is held', () => {
  test('over IRC until Twitch has said whether the chat is shared', async () => {
    const stage = await setShared({ maxChats: 100, scopes: ircScopes, isShared: false });
    const { world, room, announce, said, waiting } = stage;
    for (let times = 0; times < 4; times += 1)
      world.faults.failNext({ method: 'GET', path: '/mock/shared_chat/session', answer: 503 });
    announce('a win');
    await until(
      () => stage.returned(),
      (count) => count > 0,
    );
    expect(said(room.channelId)).toEqual([]);
    let skips = 0;
    await until(
      () => {
        if (skips < 5) stage.skip(10 * second);
        skips += 1;
        return said(room.channelId);
      },
      (lines) => lines.length > 0,
    );
    expect([said(room.channelId), waiting]).toEqual([['a win'], []]);
  });

  test.each(carriers)('while its chat takes no lines: %s', async (_how, options) => {
    const stage = await setShared({ ...options, isShared: false });
    const { world, room, announce, said, waiting } = stage;
    world.faults.refuseChat(room.channelId, 'msg_followersonly');
    announce('a win');
    await until(
      () => stage.returned(),
      (count) => count > 0,
    );
    world.faults.refuseChat(room.channelId, null);
    await until(
      () => said(room.channelId),
      (lines) => lines.length > 0,
    );
    expect([said(room.channelId).length, waiting]).toEqual([1, []]);
  });
});

test.each(carriers)(
  'An announcement that its chat refuses for its words is not repeated: %s',
  async (_how, options) => {
    const { world, room, announce, returned, said, faults, askUntilAnswered } = await setShared({
      ...options,
      isShared: false,
    });
    world.faults.refuseChat(room.channelId, 'msg_rejected_mandatory');
    announce('a win');
    await until(
      () => faults.get(room.channelId),
      (fault) => fault === 'restricted',
    );
    world.faults.refuseChat(room.channelId, null);
    await askUntilAnswered('!rewards');
    expect([returned(), said(room.channelId)]).toEqual([0, expect.not.arrayContaining(['a win'])]);
  },
);

const announcingScopes = [...allChatScopes, 'moderator:manage:announcements'];

/** A shared chat that our account moderates, after a line of ours, by which it knows its role. */
async function setModerated(options: Options) {
  const stage = await setShared(options);
  const ours = stage.world.userByLogin(botLogin)!;
  stage.world.addModerator(stage.room.channelId, ours.id);
  await stage.askUntilAnswered('!rewards');
  const received = async (text: string) => {
    stage.announce(text);
    return until(
      () => stage.world.chatLog(stage.room.channelId).filter((line) => line.text === text),
      (lines) => lines.length > 0,
    );
  };
  return { ...stage, received };
}

describe('An announcement', () => {
  test.each(carriers)(
    'is highlighted in the channel’s color, in its own channel: %s',
    async (_how, options) => {
      const { room, guest, said, received } = await setModerated({ ...options, scopes: announcingScopes });
      expect(await received('a win')).toMatchObject([
        { notice: 'announcement', color: 'primary', isSourceOnly: true, broadcasterId: room.channelId },
      ]);
      expect(said(guest.id)).toEqual([]);
    },
  );

  test.each([
    ['the account has not granted it', allChatScopes, true],
    ['only the role allows to write', announcingScopes, false],
  ])('is a plain line if %s', async (_why, scopes, allowsBot) => {
    const { guest, said, received } = await setModerated({ maxChats: 100, scopes, allowsBot });
    const [line] = await received('a win');
    expect(line).not.toHaveProperty('notice');
    expect([line?.isSourceOnly, said(guest.id)]).toEqual([true, []]);
  });

  test.each<[string, (stage: Awaited<ReturnType<typeof setModerated>>) => unknown]>([
    [
      'Twitch knows of no grant',
      ({ world, ours }) => world.tokens.withdraw(ours.id, 'moderator:manage:announcements'),
    ],
    [
      'Twitch refuses it',
      ({ world }) => world.faults.failNext({ method: 'POST', path: '/mock/chat/announcements', answer: 403 }),
    ],
    [
      'another one has just been made',
      ({ world, room, port }) => {
        const { accessToken } = world.tokens.issue({
          ...{ clientId, userId: room.channelId, scopes: announcingScopes },
        });
        return fetch(
          `http://localhost:${port}/mock/chat/announcements?broadcaster_id=${room.channelId}&moderator_id=${room.channelId}`,
          {
            method: 'POST',
            headers: {
              ...{ authorization: `Bearer ${accessToken}`, 'client-id': clientId },
              'content-type': 'application/json',
            },
            body: JSON.stringify({ message: 'by hand' }),
          },
        );
      },
    ],
  ])('is a plain line if %s', async (_why, prepare) => {
    const stage = await setModerated({ maxChats: 100, scopes: announcingScopes });
    await prepare(stage);
    const [line] = await stage.received('a win');
    expect(line).not.toHaveProperty('notice');
    expect(line?.isSourceOnly).toBe(true);
  });

  test('whose answer is lost is not said a second time', async () => {
    const stage = await setModerated({ maxChats: 100, scopes: announcingScopes });
    const { world, room, said } = stage;
    const send = chatSender(givenAlone(stage).api.application, stage.ours.id);
    world.faults.failNext({
      ...{ method: 'POST', path: '/mock/chat/announcements', answer: 503, afterEffect: true },
    });
    const sent = await send(room.channelId, { text: 'a win', isAnnouncement: true });
    expect(sent).toEqual({ end: 'unknown' });
    expect(said(room.channelId).filter((text) => text === 'a win')).toHaveLength(1);
  });
});
