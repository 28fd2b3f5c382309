import { describe, expect, test } from 'vitest';
import { clientId, startDemo } from './start-demo.ts';

const announcementScope = 'moderator:manage:announcements';

/** The demo streamer's chat, shared with a guest's, and our account's calls with the two kinds of tokens. */
async function setShared() {
  const demo = await startDemo();
  const { world, streamer, bot, url } = demo;
  const guest = world.addUser({ login: 'demo_guest' });
  world.sharedChats.begin(streamer.id, [guest.id], world.now());
  const application = world.tokens.issue({ clientId, userId: null, scopes: [] }).accessToken;
  const grant = (userId: string, ...scopes: string[]) =>
    world.tokens.issue({ clientId, userId, scopes }).accessToken;
  const post = async (path: string, token: string, body: Record<string, unknown>) => {
    const who = `broadcaster_id=${streamer.id}&moderator_id=${bot.id}`;
    const answer = await fetch(`${url}/mock/chat/${path}?${who}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'client-id': clientId,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ broadcaster_id: streamer.id, sender_id: bot.id, ...body }),
    });
    return answer.status;
  };
  const textsIn = (id: string) => world.chatLog(id).map(({ text }) => text);
  return {
    ...demo,
    guest,
    application,
    grant,
    post,
    own: () => textsIn(streamer.id),
    theirs: () => textsIn(guest.id),
  };
}

describe('During a shared chat, a line shows in the other channels', () => {
  test.each(['messages', 'announcements'])(
    'by a user’s token always, which cannot limit it: %s',
    async (path) => {
      const { grant, bot, post, own, theirs } = await setShared();
      const token = grant(bot.id, 'user:write:chat', announcementScope);
      expect(await post(path, token, { message: 'a', for_source_only: true })).toBe(400);
      expect(await post(path, token, { message: 'b' })).toBe(path === 'messages' ? 200 : 204);
      expect([own(), theirs()]).toEqual([['b'], ['b']]);
    },
  );

  test.each(['messages', 'announcements'])(
    'by the application’s token only where it is asked for: %s',
    async (path) => {
      const { application, grant, bot, streamer, post, own, theirs } = await setShared();
      grant(bot.id, 'user:write:chat', 'user:bot', announcementScope);
      grant(streamer.id, 'channel:bot');
      await post(path, application, { message: 'a' });
      expect([own(), theirs()]).toEqual([['a'], []]);
    },
  );

  test('by the application’s token if it is for all', async () => {
    const { application, grant, bot, streamer, post, own, theirs, world, guest } = await setShared();
    grant(bot.id, 'user:write:chat', 'user:bot', announcementScope);
    grant(streamer.id, 'channel:bot');
    await post('messages', application, { message: 'a', for_source_only: false });
    await post('announcements', application, { message: 'b', for_source_only: false, color: 'green' });
    expect([own(), theirs()]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    const [original] = world.chatLog(streamer.id);
    expect(world.chatLog(guest.id)).toMatchObject([
      { sourceId: streamer.id, sourceLineId: original?.id },
      { sourceId: streamer.id, notice: 'announcement', color: 'green' },
    ]);
  });
});

describe('Send Chat Announcement', () => {
  test('needs both grants of the announcer, the broadcaster’s, and a moderator’s role', async () => {
    const { application, grant, bot, streamer, post, own, world } = await setShared();
    const announce = () => post('announcements', application, { message: 'a' });
    expect(await announce()).toBe(401);
    grant(bot.id, announcementScope);
    grant(streamer.id, 'channel:bot');
    expect(await announce()).toBe(401);
    grant(bot.id, 'user:bot');
    world.tokens.withdraw(streamer.id, 'channel:bot');
    expect(await announce()).toBe(401);
    grant(streamer.id, 'channel:bot');
    world.removeModerator(streamer.id, bot.id);
    expect(await announce()).toBe(403);
    expect(own()).toEqual([]);
    world.addModerator(streamer.id, bot.id);
    expect(await announce()).toBe(204);
  });

  test('takes one every two seconds, of at most 500 characters, in a known color', async () => {
    const { grant, bot, post, own } = await setShared();
    const token = grant(bot.id, announcementScope);
    expect(await post('announcements', token, { message: '' })).toBe(400);
    expect(await post('announcements', token, { message: 'a', color: 'red' })).toBe(400);
    expect(await post('announcements', grant(bot.id, 'user:bot'), { message: 'a' })).toBe(401);
    expect(await post('announcements', token, { message: 'x'.repeat(700), color: 'primary' })).toBe(204);
    expect(await post('announcements', token, { message: 'b' })).toBe(429);
    expect(own()).toEqual(['x'.repeat(500)]);
  });
});
