import { afterEach, beforeEach, expect, test } from 'vitest';
import { plainDialect } from '#sandbox/steam/dialects.ts';
import type { Connection } from '#sandbox/steam/world.ts';
import { oddLines } from '#sandbox/twitch/chat-oddities.ts';
import { oddAnswers } from '#sandbox/twitch/odd-answers.ts';
import { openTestPanel, type TestPanel } from './test-panel.ts';

let world: TestPanel;

beforeEach(async () => {
  world = await openTestPanel();
});

afterEach(async () => {
  await world.close();
  expect(world.failures).toEqual([]);
});

/** Logs the bot in, and records its connection's events. */
function connectBot(): string[] {
  const befell: string[] = [];
  const connection: Connection = {
    logonId: 0,
    notify: () => undefined,
    kick: (result) => befell.push(`kicked with ${result}`),
    close: () => befell.push('closed'),
  };
  world.steam.attach(world.bot.steamId, connection);
  return befell;
}

test('A preset fault waits for one bot’s next request', async () => {
  const { steamId } = world.bot;
  await world.submit('/trouble/steam/requests', { preset: 'sendAnswers500AfterEffect', steamId, times: '2' });
  expect(world.steam.takeFault('send', world.giver.steamId)).toBeNull();
  expect(world.steam.takeFault('send', steamId)).toMatchObject({
    when: 'after',
    effect: { kind: 'status', status: 500 },
  });
  expect((await world.read('/trouble.json')).steam).toEqual([
    expect.objectContaining({ target: 'send', remaining: 1 }),
  ]);
  expect((await world.see('/trouble')).text).toContain(
    'Steam, send of Demo bot: answers 500 after its effect',
  );
});

test.each([
  ['drop', { kind: 'drop' }],
  ['status:401', { kind: 'status', status: 401 }],
  ['status:429', { kind: 'status', status: 429, retryAfterSeconds: 5 }],
  ['result:16', { kind: 'result', eresult: 16 }],
])('Any other fault can be composed: %s', async (effect, expected) => {
  await world.play('/trouble/steam/requests', { target: 'inventory', when: 'before', effect });
  expect(world.steam.takeFault('inventory', null)?.effect).toEqual(expected);
});

test("A bot's session can be disrupted while it is logged in", async () => {
  const { steamId } = world.bot;
  const kick = { steamId, act: 'kick' };
  expect(await world.play('/trouble/steam/sessions', kick)).toEqual({
    status: 409,
    body: { message: 'Demo bot is not logged in.' },
  });
  const befell = connectBot();
  expect((await world.see('/trouble')).text).toContain('Log in elsewhere');
  await world.submit('/trouble/steam/sessions', kick);
  await world.play('/trouble/steam/sessions', { ...kick, result: 34 });
  await world.play('/trouble/steam/sessions', { steamId, act: 'closeSocket' });
  expect(befell).toEqual(['kicked with 6', 'kicked with 34', 'closed']);
  await world.play('/trouble/steam/sessions', { steamId, act: 'killAccessTokens' });
  await world.play('/trouble/steam/sessions', { steamId, act: 'killRefreshTokens' });
  expect(world.steam.userBySteamId(steamId)).toMatchObject({ accessTokenEpoch: 2, refreshTokenEpoch: 1 });
});

test('Steam answers in the shapes that were chosen', async () => {
  await world.submit('/trouble/steam/shapes', { reversal: 'mirroredOldIds', settlement: 'quoted' });
  expect(world.steam.state.dialect).toEqual({
    ...plainDialect,
    reversal: 'mirroredOldIds',
    settlement: 'quoted',
  });
  const { text } = await world.see('/trouble');
  expect(text).toContain('<option value="quoted" selected>');
  expect(text).toContain('<option value="listed" selected>');
});

test('Requests to Twitch fail as ordered', async () => {
  await world.submit('/trouble/twitch/requests', {
    answer: '503',
    path: '/mock/chat/chatters',
    afterEffect: 'true',
  });
  await world.submit('/trouble/twitch/requests', { answer: 'drop', path: '/auth/token', method: 'POST' });
  expect(world.twitch.faults.takeRequestFault('GET', '/mock/users')).toBeNull();
  expect(world.twitch.faults.takeRequestFault('GET', '/mock/chat/chatters')).toMatchObject({
    answer: 503,
    afterEffect: true,
  });
  expect((await world.see('/trouble')).text).toContain('Twitch, POST /auth/token: socket dropped');
});

test('Twitch’s sockets fail at once', async () => {
  const struck: string[] = [];
  world.twitch.faults.onSocketFault((fault) => struck.push(fault));
  for (const act of ['ircKill', 'ircReconnect', 'eventSubReconnect', 'eventSubDrop']) {
    await world.submit('/trouble/twitch/sockets', { act });
  }
  expect(struck).toEqual(['ircKill', 'ircReconnect', 'eventSubReconnect', 'eventSubDrop']);
});

test('Events arrive twice, tokens expire and the list of chatters lags', async () => {
  await world.submit('/trouble/twitch/duplicates', {});
  expect(world.twitch.faults.takeDuplicateEvent()).toBe(true);
  const token = world.twitch.tokens.issue({ clientId: 'client', userId: world.viewer.id, scopes: [] });
  await world.submit('/trouble/twitch/expire-tokens', {});
  expect(world.twitch.tokens.findValid(token.accessToken)).toBeNull();
  await world.submit('/trouble/twitch/lost', {});
  expect(world.twitch.faults.takeLostEvent()).toBe(true);
  await world.submit('/trouble/twitch/followers', { userId: world.streamer.id, count: '3' });
  expect(world.twitch.followersOf(world.streamer.id).length).toBeGreaterThanOrEqual(3);
  world.twitch.goLive(world.streamer.id);
  await world.submit('/trouble/twitch/everywhere', { userId: world.viewer.id });
  expect(world.twitch.chattersOf(world.streamer.id).map(({ id }) => id)).toContain(world.viewer.id);
  await world.submit('/trouble/twitch/chatter-lag', { seconds: '90' });
  expect(world.twitch.chatterLagSeconds).toBe(90);
});

test('An account is suspended and comes back, with its tokens or without', async () => {
  const { id: userId } = world.streamer;
  const token = () => world.twitch.tokens.issue({ clientId: 'demo-client', userId, scopes: [] }).accessToken;
  const [first, second] = [token(), token()];
  await world.submit('/trouble/twitch/suspend', { userId, act: 'suspendOnly' });
  expect(world.twitch.suspensions.has(userId)).toBe(true);
  expect(world.twitch.tokens.findValid(first)).not.toBeNull();
  await world.submit('/trouble/twitch/suspend', { userId, act: 'lift' });
  expect(world.twitch.suspensions.has(userId)).toBe(false);
  await world.submit('/trouble/twitch/suspend', { userId, act: 'suspend' });
  expect(world.twitch.tokens.findValid(second)).toBeNull();
});

test('A scope is taken away from what somebody has granted', async () => {
  const { id: userId } = world.streamer;
  const scopes = ['channel:bot', 'moderator:read:chatters'];
  world.twitch.tokens.issue({ clientId: 'demo-client', userId, scopes });
  await world.submit('/trouble/twitch/scopes', { userId, scope: 'channel:bot' });
  expect(world.twitch.tokens.grantedScopes(userId, 'demo-client')).toEqual(['moderator:read:chatters']);
});

test('The clock leaps back as far as it was moved forward', async () => {
  expect((await world.play('/trouble/clock', { minutes: 1 })).status).toBe(400);
  await world.play('/clock/advance', { hours: 1 });
  expect((await world.see('/trouble')).text).toContain('Leap back');
  await world.submit('/trouble/clock', { minutes: '59' });
  expect(world.clock.offsetMs()).toBe(60_000);
});

test('Roles in chats, names and kinds of channels change', async () => {
  const [broadcasterId, userId] = [world.streamer.id, world.viewer.id];
  const role = () => world.twitch.moderators.roleOf(broadcasterId, userId);
  await world.submit('/trouble/twitch/moderators', { broadcasterId, userId, role: 'lead_moderator' });
  expect(role()).toBe('lead_moderator');
  await world.submit('/trouble/twitch/moderators', { broadcasterId, userId, role: '' });
  expect(role()).toBeNull();
  await world.submit('/trouble/twitch/rename', { userId, login: 'demo_newer' });
  expect(world.twitch.userById(userId)?.login).toBe('demo_newer');
  await world.submit('/trouble/twitch/type', { userId: broadcasterId, type: '' });
  expect(world.twitch.userById(broadcasterId)?.broadcasterType).toBe('');
});

test('Lines come as a reply, an action, with invisible characters, from a shared chat, and without text', async () => {
  const [broadcasterId, userId] = [world.streamer.id, world.viewer.id];
  for (const how of oddLines) await world.submit('/trouble/twitch/say', { broadcasterId, userId, how });
  const lines = world.twitch.chatLog(broadcasterId);
  expect(lines.map(({ text }) => text)).toEqual([
    'hello',
    `@${world.viewer.login} !progress`,
    '\u0001ACTION !progress\u0001',
    '\u{e0000}!progress \u034f',
    '!progress',
    '',
  ]);
  expect([lines[1]?.replyTo?.id, lines[4]?.sourceId]).toEqual([lines[0]?.id, userId]);
});

test.each(Object.entries(oddAnswers))(
  'Twitch answers oddly on request, and the page names the source: %s',
  async (answer, { path, source }) => {
    expect((await world.see('/trouble')).text).toContain(
      source.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    );
    await world.submit('/trouble/twitch/odd-answers', { answer, times: '2' });
    expect(world.twitch.faults.takeOddAnswer('GET', path)?.source).toBe(source);
    expect(world.twitch.faults.pending().oddAnswers).toBe(1);
    await world.submit('/trouble/twitch/odd-answers', { answer, times: '0' });
    expect(world.twitch.faults.pending().oddAnswers).toBe(0);
  },
);

test('All pending faults can be cancelled', async () => {
  await world.play('/trouble/steam/requests', { preset: 'sendDropsAfterEffect' });
  await world.play('/trouble/twitch/requests', { answer: 401 });
  await world.play('/trouble/twitch/late', { count: 2 });
  const { id: userId } = world.twitch.addUser({ login: 'demo_host' });
  await world.submit('/trouble/twitch/chat', { userId, refusal: 'msg_banned' });
  expect((await world.see('/trouble')).text).toContain('Twitch, chats that refuse lines');
  await world.submit('/trouble/twitch/lines', { act: 'hold' });
  expect((await world.see('/trouble')).text).toContain('Twitch, all chat lines are held');
  await world.submit('/trouble/twitch/drops', { reason: 'msg_rejected', times: '2' });
  expect((await world.see('/trouble')).text).toContain('Twitch, lines that Send Chat Message drops');
  await world.submit('/trouble/twitch/odd-answers', { answer: 'noStreams', times: '3' });
  expect((await world.see('/trouble')).text).toContain('Twitch, odd answers');
  expect(await world.read('/trouble.json')).toMatchObject({
    twitch: { lateEvents: 2, refusingChats: 1, droppedLines: 2, oddAnswers: 3 },
  });
  await world.play('/trouble/clear');
  expect(await world.read('/trouble.json')).toEqual({
    steam: [],
    twitch: {
      requests: [],
      duplicateEvents: 0,
      lateEvents: 0,
      lostEvents: 0,
      oddAnswers: 0,
      refusingChats: 0,
      droppedLines: 0,
      heldLines: null,
    },
    stripe: { requests: [], webhooks: { duplicate: 0, late: 0, lost: 0 }, isHolding: false },
    chatterLagSeconds: 0,
  });
  expect((await world.see('/trouble')).text).toContain('No pending trouble.');
});

test.each([
  ['/trouble/steam/requests', {}],
  ['/trouble/steam/requests', { preset: 'none' }],
  ['/trouble/steam/requests', { effect: 'explode' }],
  ['/trouble/steam/shapes', { reversal: 'never' }],
  ['/trouble/steam/sessions', { act: 'kick' }],
  ['/trouble/twitch/requests', { answer: '200' }],
  ['/trouble/twitch/sockets', { act: 'none' }],
  ['/trouble/twitch/chatter-lag', { seconds: -1 }],
  ['/trouble/twitch/drops', { reason: 'boredom' }],
  ['/trouble/twitch/odd-answers', { answer: 'wisely' }],
  ['/trouble/twitch/lines', { act: 'eat' }],
  ['/trouble/twitch/say', { how: 'loudly' }],
])('%s with %j is refused with a reason', async (url, payload) => {
  const answer = await world.play(url, payload);
  expect(answer.status).toBe(400);
  expect(answer.body.message).toMatch(/\w/);
});
