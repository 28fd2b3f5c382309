import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestPanel, type TestPanel } from './test-panel.ts';

let world: TestPanel;
let at: string;

beforeEach(async () => {
  world = await openTestPanel();
  at = `/twitch/${world.streamer.id}`;
});

afterEach(async () => {
  await world.close();
  expect(world.failures).toEqual([]);
});

test('A stream starts with title and game, changes, and ends', async () => {
  const started = await world.play(`${at}/live`, { title: 'Hello', gameName: 'Chess' });
  expect(started.body.stream).toMatchObject({ title: 'Hello', gameName: 'Chess' });
  const changed = await world.play(`${at}/live`, { title: 'Bye' });
  expect(changed.body.stream).toMatchObject({ id: started.body.stream.id, title: 'Bye', gameName: 'Chess' });
  await world.play(`${at}/offline`);
  expect(world.twitch.streamOf(world.streamer.id)).toBeUndefined();
});

test('A stream that drops out comes back under the same id', async () => {
  const { body } = await world.play(`${at}/live`);
  await world.play(`${at}/offline`, { flapping: true });
  expect(world.twitch.streamOf(world.streamer.id)?.id).toBe(body.stream.id);
});

test('Viewers come and go, in crowds and by name', async () => {
  expect((await world.play(`${at}/chatters/fill`, { count: 50 })).body.chatters).toBe(50);
  expect(
    (await world.play(`${at}/chatters/join`, { userId: [world.viewer.id, world.other.id] })).body.chatters,
  ).toBe(52);
  expect((await world.play(`${at}/chatters/leave`, { userId: world.viewer.id })).body.chatters).toBe(51);
  const { chatters } = await world.read(`${at}/chatters.json`);
  expect(chatters.map((user: { login: string }) => user.login)).toContain('demo_other');
  expect((await world.play(`${at}/chatters/leave`)).body.chatters).toBe(0);
});

test('Anybody can chat, and the log names them', async () => {
  await world.submit(`${at}/say`, { userId: world.viewer.id, text: '!hours' });
  const { lines } = await world.read(`${at}/chat.json`);
  expect(lines).toEqual([
    expect.objectContaining({ login: 'demo_viewer', displayName: 'Demo_Viewer', text: '!hours' }),
  ]);
  expect((await world.see(`${at}/chat`)).text).toContain('!hours');
  expect((await world.see(`${at}/chat`)).headers.refresh).toBe('3');
});

test('Channels share a chat, and one no more', async () => {
  const [viewer, other] = [world.viewer.id, world.other.id];
  await world.submit(`${at}/shared-chat`, { guestId: viewer });
  expect((await world.see(at)).text).toContain('With Demo_Viewer.');
  await world.submit(`/twitch/${viewer}/say`, { userId: other, text: 'hello' });
  const { lines } = await world.read(`${at}/chat.json`);
  expect(lines).toEqual([expect.objectContaining({ text: 'hello', sourceId: viewer })]);
  expect((await world.play(`/twitch/${other}/shared-chat`, { guestId: viewer })).status).toBe(409);
  await world.submit(`/twitch/${viewer}/shared-chat/end`, {});
  expect((await world.see(at)).text).toContain('Share with');
});

test('A viewer follows since some days ago, subscribes, and ends both', async () => {
  await world.submit(`${at}/follow`, { userId: world.viewer.id, days: '3' });
  const follow = world.twitch.followOf(world.streamer.id, world.viewer.id);
  expect(world.twitch.now() - (follow?.followedAtMs ?? 0)).toBeGreaterThanOrEqual(3 * 86_400_000);
  await world.submit(`${at}/subscribe`, { userId: world.viewer.id, tier: '2000', isGift: 'true' });
  expect(world.twitch.subscribersOf(world.streamer.id)).toMatchObject([{ tier: '2000', isGift: true }]);
  await world.submit(`${at}/resubscribe`, { userId: world.viewer.id });
  expect((await world.see(at)).text).toContain('subscriber');
  await world.play(`${at}/unfollow`, { userId: world.viewer.id });
  await world.play(`${at}/unsubscribe`, { userId: world.viewer.id });
  expect(world.twitch.followersOf(world.streamer.id)).toEqual([]);
  expect(world.twitch.subscribersOf(world.streamer.id)).toEqual([]);
});

test('A viewer redeems a reward created by the application', async () => {
  const reward = world.twitch.channelPoints.createReward('client', world.streamer.id, {
    title: 'Draw ticket',
    prompt: '',
    cost: 100,
    backgroundColor: '#000000',
    isEnabled: true,
    isPaused: false,
    isUserInputRequired: false,
    maxPerStream: 1,
    maxPerUserPerStream: null,
    globalCooldownSeconds: null,
    skipsRequestQueue: false,
  });
  const redeem = { userId: world.viewer.id, rewardId: reward.id };
  expect((await world.play(`${at}/redeem`, redeem)).body.redemption).toMatchObject({ status: 'UNFULFILLED' });
  expect(await world.play(`${at}/redeem`, redeem)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('outOfStock') },
  });
  expect((await world.see(at)).text).toContain('Draw ticket');
});

test('The streamer settles redemptions by hand, and deletes the reward', async () => {
  const { channelPoints } = world.twitch;
  const reward = channelPoints.createReward('client', world.streamer.id, {
    title: 'Draw ticket',
    prompt: 'A ticket.',
    cost: 100,
  });
  await world.submit(`${at}/points`, { userId: world.viewer.id, points: '250' });
  const redeem = async () =>
    (await world.play(`${at}/redeem`, { userId: world.viewer.id, rewardId: reward.id })).body.redemption;
  const [saved, given] = [await redeem(), await redeem()];
  expect(await world.play(`${at}/redeem`, { userId: world.viewer.id, rewardId: reward.id })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('notEnoughPoints') },
  });
  await world.submit(`${at}/redemptions/${given.id}`, { status: 'CANCELED' });
  await world.submit(`${at}/redemptions/${saved.id}`, { status: 'FULFILLED' });
  expect((await world.play(`${at}/redemptions/${saved.id}`, { status: 'CANCELED' })).status).toBe(409);
  expect(channelPoints.balanceOf(world.streamer.id, world.viewer.id)).toBe(150);
  const late = await redeem();
  expect((await world.see(at)).text).toContain('A ticket.');
  await world.submit(`${at}/rewards/${reward.id}/delete`, {});
  expect(channelPoints.redemptionsOf(world.streamer.id)).toMatchObject([
    { id: saved.id, status: 'FULFILLED' },
    { id: given.id, status: 'CANCELED' },
    { id: late.id, status: 'FULFILLED' },
  ]);
  expect((await world.play(`${at}/rewards/${reward.id}/delete`)).status).toBe(404);
});

test('People can be created, renamed, and disconnect the product', async () => {
  const made = await world.play('/twitch/users', { login: 'Demo_New', broadcasterType: 'affiliate' });
  expect(made.body.user).toMatchObject({
    login: 'demo_new',
    displayName: 'Demo_New',
    broadcasterType: 'affiliate',
  });
  const { id } = made.body.user;
  world.twitch.tokens.issue({ clientId: 'client', userId: id, scopes: [] });
  expect((await world.see('/twitch/people')).text).toContain('connected the product');
  await world.play(`/twitch/users/${id}/revoke`);
  expect((await world.see('/twitch/people')).text).not.toContain('connected the product');
  await world.play(`/twitch/users/${id}/rename`, { login: 'demo_newer' });
  expect(world.twitch.userById(id)?.login).toBe('demo_newer');
  expect(await world.play(`/twitch/users/${id}/rename`, { login: 'demo_viewer' })).toEqual({
    status: 409,
    body: { message: 'The login demo_viewer is taken.' },
  });
});

test('Moderators can be added and removed', async () => {
  await world.play(`${at}/moderators`, { userId: world.viewer.id });
  expect(world.twitch.isModerator(world.streamer.id, world.viewer.id)).toBe(true);
  await world.play(`${at}/moderators`, { userId: world.viewer.id, remove: true });
  expect(world.twitch.isModerator(world.streamer.id, world.viewer.id)).toBe(false);
});

test.each([
  ['/twitch/7/live', {}, 404],
  ['/twitch/7/chatters/fill', { count: 5 }, 404],
  ['CHANNEL/chatters/fill', { count: 0 }, 400],
  ['CHANNEL/chatters/fill', { count: 1_000_000 }, 400],
  ['CHANNEL/chatters/join', { userId: '7' }, 404],
  ['CHANNEL/chatters/join', {}, 400],
  ['CHANNEL/say', { userId: '7', text: 'x' }, 404],
  ['CHANNEL/say', { text: 'x' }, 400],
  ['CHANNEL/shared-chat', { guestId: '7' }, 404],
  ['CHANNEL/shared-chat', {}, 400],
  ['/twitch/7/shared-chat/end', {}, 404],
  ['CHANNEL/follow', { userId: '7' }, 404],
  ['/twitch/users', { login: 'x' }, 400],
  ['/twitch/users', { login: 'demo_viewer' }, 409],
  ['/twitch/users/7/revoke', {}, 404],
])('%s with %j is refused with %i and a reason', async (url, payload, status) => {
  const answer = await world.play(url.replace('CHANNEL', at), payload);
  expect(answer.status).toBe(status);
  expect(answer.body.message).toMatch(/\w+ .*\.$/);
});

test('The product’s link to a channel, which names its login, leads to the channel', async () => {
  const { login, displayName } = world.streamer;
  expect((await world.see(`/twitch/${login}`)).text).toContain(`Twitch: ${displayName}`);
});
