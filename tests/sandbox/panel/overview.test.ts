import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestPanel, rifle, type TestPanel } from './test-panel.ts';

let world: TestPanel;

beforeEach(async () => {
  world = await openTestPanel();
});

afterEach(async () => {
  await world.close();
  expect(world.failures).toEqual([]);
});

const shownNext = async () => /<h2>Next: (.*?)<\/h2>/.exec((await world.see('/')).text)?.[1];

test('The overview names the next step, with the one button that does it', async () => {
  const { streamer, viewer, steam, bot, taker } = world;
  expect(await shownNext()).toBe('go live as demo_streamer');
  await world.submit(`/twitch/${streamer.id}/live`, {});
  expect(await shownNext()).toBe('let Demo_Viewer join the chat');
  await world.submit(`/twitch/${streamer.id}/chatters/join`, { userId: viewer.id });
  expect(await shownNext()).toBe('let the minutes pass');

  const item = steam.give(bot.steamId, rifle);
  const sent = steam.send(bot.steamId, {
    to: taker.steamId,
    token: taker.tradeToken,
    give: [item],
    receive: [],
  });
  if (!sent.ok) throw new Error(sent.message);
  await world.play(`/steam/users/${bot.steamId}/offers/${sent.offer.id}/confirm`);
  expect(await shownNext()).toBe('accept the offer to Demo taker');
  const { text } = await world.see('/');
  expect(text).toContain(`/steam/users/${taker.steamId}/offers/${sent.offer.id}/accept`);
  expect(text).toContain('Demo Rifle | Slate (Field-Tested)');
  await world.submit(`/steam/users/${taker.steamId}/offers/${sent.offer.id}/accept`, {});
  expect(await shownNext()).toBe('let the minutes pass');
});

test('The chosen person says a ready line, or redeems the channel’s reward, from the overview', async () => {
  const { streamer, viewer, twitch } = world;
  const says = `/twitch/${streamer.id}/say`;
  await world.submit(says, { userId: viewer.id, text: '', line: '!progress' });
  await world.submit(says, { userId: viewer.id, text: 'good evening' });
  expect(twitch.chatLog(streamer.id).map(({ text }) => text)).toEqual(['!progress', 'good evening']);
  expect(await world.play(says, { userId: viewer.id, text: ' ' })).toMatchObject({ status: 400 });
  expect((await world.see('/')).text).not.toContain('name="rewardId"');
});

test('A lever stays on until it is moved back, and every page names it', async () => {
  const { steam, twitch } = world;
  const move = (lever: string, on: boolean) => world.submit('/trouble/lever', { lever, on: String(on) });
  const named = async () => /Switched on<\/a>: (.*?)<\/p>/.exec((await world.see('/mail')).text)?.[1];
  expect(await named()).toBeUndefined();
  await world.play('/trouble/steam/requests', { preset: 'itemServerDown', times: '3' });
  for (const lever of ['steamSilent', 'twitchDown', 'chatHeld', 'chattersLate']) await move(lever, true);
  expect(await named()).toBe('Steam is silent, Twitch is down, Chat is stuck, The list of chatters is late');
  expect(steam.takeFault('inventory', null)?.effect).toEqual({ kind: 'drop' });
  expect(twitch.faults.takeRequestFault('GET', '/mock/users')).toMatchObject({ answer: 503 });

  await move('steamSilent', false);
  await move('twitchDown', false);
  expect(await named()).toBe('Chat is stuck, The list of chatters is late');
  expect(twitch.faults.takeRequestFault('GET', '/mock/users')).toBeNull();
  // Faults ordered by number stay.
  expect(steam.faults()).toEqual([expect.objectContaining({ target: 'send', remaining: 3 })]);
  await world.submit('/trouble/clear', {});
  expect(await named()).toBeUndefined();
});
