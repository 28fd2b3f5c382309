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
