import { expect, test } from 'vitest';
import { viewerGaps } from '#db/schema/channel.ts';
import type { Locale } from '#db/schema/user.ts';
import { setExcludedLogins } from '#domain/channel/set-excluded-logins.ts';
import { minute } from '#domain/kernel/time.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { goLive as goLiveInStore, readChatters } from '#tests/support/stream.ts';
import { askDirectly, setChat } from './chat-stage.ts';
import { addTwitchPerson, goLive, pass, type Stage, setChannel, setStage } from './stage.ts';

const ask = (stage: Stage, channelId: string, twitchId: string, locale: Locale = 'en') =>
  askDirectly(stage, channelId, twitchId, '!progress', locale);

test('A registered viewer whose time does not count sees the rules and why, once a look found them in chat', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const [excluded, script] = [await addTwitchPerson(stage), await addTwitchPerson(stage)];
  stage.world.rename(script.twitchId, 'commanderroot');
  stage.world.joinChat(streamer.twitchId, [excluded.twitchId, script.twitchId]);
  await setExcludedLogins(stage.db, { userId: streamer.userId, logins: [excluded.login] });
  await stage.startBot();
  await goLive(stage, streamer.twitchId);
  await pass(stage, streamer.twitchId);
  const nowMs = stage.clock.now();
  const presenceOf = async ({ userId }: { userId: string }) =>
    (await listProgress(stage.db, { userId }, nowMs)).rows.map(({ presence }) => presence);
  expect(await presenceOf(viewer)).toEqual([{ is: 'counted', lookedAtMs: nowMs }]);
  expect(await presenceOf(excluded)).toEqual([{ is: 'uncounted', reason: 'excluded', lookedAtMs: nowMs }]);
  expect(await presenceOf(script)).toEqual([{ is: 'uncounted', reason: 'bot', lookedAtMs: nowMs }]);
  const gaps = await stage.db.read.select().from(viewerGaps);
  expect(gaps.map(({ twitchId, reason }) => [twitchId, reason])).toEqual(
    expect.arrayContaining([
      [excluded.twitchId, 'excluded'],
      [script.twitchId, 'bot'],
    ]),
  );
});

test('`!progress` says whether the last look found the asker, and not before all why their time does not count', async () => {
  const { stage, streamer } = await setChat();
  const channelId = streamer.twitchId;
  const here = await addTwitchPerson(stage);
  const away = await addTwitchPerson(stage);
  const excluded = await addTwitchPerson(stage);
  const nowMs = stage.clock.now();
  expect(await ask(stage, channelId, here.twitchId)).not.toContain('In chat');
  await goLiveInStore(stage.db, channelId, nowMs - 3 * minute);
  expect(await ask(stage, channelId, here.twitchId)).toContain(
    'In chat: unknown, not looked yet in this stream.',
  );
  const uncounted = { excluded: [excluded.twitchId] };
  await readChatters(stage.db, channelId, [here.twitchId], nowMs - 2 * minute, { uncounted });
  expect(await ask(stage, channelId, here.twitchId)).toContain('In chat: yes, checked 2 min ago.');
  expect(await ask(stage, channelId, away.twitchId, 'ru')).toContain(
    'В чате: пока нет, проверка 2 мин назад. Время идёт, пока вы в списке чата.',
  );
  const line = await ask(stage, channelId, excluded.twitchId);
  expect(line).toContain('your time does not count. Why: http://localhost:3000/rewardProgress');
  expect(line).not.toContain('exclude');
});
