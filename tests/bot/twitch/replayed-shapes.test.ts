import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchShapes, watchedResponse, watchTwitchEvent } from '#bot/twitch/answer-shapes.ts';
import { countOddDrop, countOddNotice } from '#bot/twitch/chat/chat-notices.ts';
import { subscribers } from '#db/schema/channel.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { readShapes, replayOf } from '#sandbox/shapes/replay.ts';
import { channelOf, setChannel, setStage, until } from './stage.ts';

const madeUp = readShapes(new URL('../../../sandbox/shapes/made-up.json', import.meta.url));

/** Starts a bot whose channel has one subscriber, and waits until Twitch's list was read. */
async function readSubscribers(isReplayed: boolean) {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage, { watchMinutes: null, subscriberTier: 2 });
  stage.world.subscribe(streamer.twitchId, viewer.twitchId, '3000');
  if (isReplayed) replayOf(stage.world).speak(madeUp.filter(({ platform }) => platform === 'twitch'));
  answerWatch.take();
  await stage.startBot();
  await until(
    () => channelOf(stage, streamer.twitchId),
    (channel) => channel.subscribersReadAtMs !== null,
  );
  const stored = stage.db.read.select().from(subscribers).where(eq(subscribers.twitchId, viewer.twitchId));
  return (await stored).map(({ tier }) => tier);
}

test('A tier that Twitch has made up counts as the lowest, and is recorded', async () => {
  expect(await readSubscribers(true)).toEqual([1]);
  expect(answerWatch.take()).toMatchObject([
    {
      platform: 'twitch',
      place: 'GET subscriptions',
      path: 'data[].tier',
      found: '4000',
      reaction: 'lowest',
    },
  ]);
});

test('The usual answers of the sandbox fit', async () => {
  expect(await readSubscribers(false)).toEqual([3]);
  expect(answerWatch.take()).toEqual([]);
});

test('An event is compared by its type, and lines of chats are not', () => {
  answerWatch.take();
  watchTwitchEvent('channel.chat.message', { anything: 1 });
  watchTwitchEvent('stream.online', { id: '1', type: 'hologram', started_at: '2026-11-29T12:00:00Z' });
  expect(answerWatch.take()).toMatchObject([{ place: 'stream.online', path: 'type', found: 'hologram' }]);
});

test('A refusal or an answer without JSON is nobody\u2019s shape, and its text is read as before', async () => {
  answerWatch.take();
  const read = (text: string, status: number) =>
    watchedResponse({ url: 'streams' }, new Response(text, { status })).text();
  expect(await read('{"error":"x"}', 500)).toBe('{"error":"x"}');
  expect(answerWatch.take()).toEqual([]);
  expect(await read('<html>', 200)).toBe('<html>');
  expect(answerWatch.take()).toMatchObject([{ place: 'GET streams', path: '', difference: 'missing' }]);
  expect(new Set(twitchShapes.map(({ place }) => place)).size).toBe(twitchShapes.length);
});

test('A notice of chat and a drop reason that nobody knows are counted by their ids', () => {
  answerWatch.take();
  for (const known of [
    'msg_slowmode',
    'slow_on',
    'unrecognized_cmd',
    'room_mods',
    'mod_success',
    'hosts_remaining',
  ])
    countOddNotice(known);
  for (const known of ['user_timed_out', 'msg_duplicate']) countOddDrop(known);
  expect(answerWatch.take()).toEqual([]);
  countOddNotice('msg_hologram');
  countOddNotice('not an id: somebody');
  countOddDrop('hologram_required');
  expect(answerWatch.take()).toMatchObject([
    { place: 'NOTICE of IRC', path: 'msg-id', found: 'msg_hologram', reaction: 'ignored' },
    { place: 'NOTICE of IRC', found: '…' },
    { place: 'POST chat/messages', found: 'hologram_required', reaction: 'refused' },
  ]);
});

test('An answer to a call that changes something is compared too', async () => {
  answerWatch.take();
  const read = (method: string, url: string, row: object) =>
    watchedResponse({ url, method }, new Response(JSON.stringify({ data: [row] }))).text();
  const redemptions = 'channel_points/custom_rewards/redemptions';
  await read('PATCH', redemptions, { id: '1', status: 'CANCELED' });
  expect(answerWatch.take()).toEqual([]);
  await read('PATCH', redemptions, { id: '1', status: 'HELD' });
  await read('POST', 'chat/messages', { is_sent: 'yes' });
  expect(answerWatch.take()).toMatchObject([
    { place: `PATCH ${redemptions}`, path: 'data[].status', found: 'HELD' },
    { place: 'POST chat/messages', path: 'data[].is_sent', difference: 'type' },
  ]);
});
