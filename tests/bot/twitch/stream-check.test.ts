import { expect, test } from 'vitest';
import { getStreamCheck } from '#domain/watch-time/get-stream-check.ts';
import { goLive, pass, setChannel, setStage, until } from './stage.ts';

test('A stream’s viewers are read from Twitch and compared with its chat, without bots and the broadcaster', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage);
  const { twitchId: channelId } = streamer;
  const guest = stage.world.addUser({ login: 'demo_guest' });
  const script = stage.world.addUser({ login: 'commanderroot' });
  stage.world.joinChat(channelId, [channelId, guest.id, script.id]);
  const inChat = stage.world.chattersOf(channelId).length;
  await stage.startBot();
  const stream = await goLive(stage, channelId);
  stream.outsideChat = 11;
  const check = () => getStreamCheck(stage.db, channelId, stage.clock.now());
  await pass(stage, channelId);
  const found = await until(check, (one) => one?.viewers === inChat + 11);
  // The viewer of the channel and the guest.
  expect(found).toMatchObject({
    live: true,
    people: 2,
    bots: 1,
    outsideChat: inChat + 11 - 2,
    isFirst: true,
  });
});
