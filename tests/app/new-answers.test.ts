import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { operatorOnly } from '#app/middleware/guards.server.ts';
import { action as verifyAction } from '#app/routes/email/verify.tsx';
import { loader } from '#app/routes/operator/operator.tsx';
import { database } from '#app/services/database.server.ts';
import { createLog } from '#bot/log.ts';
import { startAnswerWatch } from '#bot/workers/start-answer-watch.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { parseShapes, type ReplayedShape, replayOf } from '#sandbox/shapes/replay.ts';
import {
  fetchAgain,
  setBillingStage,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
} from '#tests/billing/stage.ts';
import { channelOf, setChannel, setStage, until } from '#tests/bot/twitch/stage.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { setSteamStage, startBot, transferIn } from '#tests/support/steam-stage.ts';
import { runShapes } from '../../cli/shapes.ts';
import { startFakeBot } from './support/fake-bot.ts';
import { mailedTokens, newcomer, signUpForm } from './support/member.ts';
import { setWeb } from './support/web.ts';

const email = 'operator@example.org';
const botProcess = await startFakeBot();
await setWeb({ BOT_URL: botProcess.url, OPERATOR_ACCOUNT: email });
afterAll(() => botProcess.stop());
const operator = await newcomer(signUpForm({ email }));
const [token = ''] = await mailedTokens(email);
await operator.visitor.call(verifyAction, '/email/verify', { form: { token } });
setBillingStage();

/** Lets each platform's own client read answers in these shapes. */
async function readAll(shapes: readonly ReplayedShape[]) {
  const of = (platform: string) => shapes.filter((each) => each.platform === platform);

  const steam = await setSteamStage();
  const { rewardId } = await promiseReward(steam);
  replayOf(steam.world).speak(of('steam'));
  const bot = await startBot(steam);
  const transferId = await claim(steam, rewardId);
  const { offerId } = await transferIn(steam, transferId, 'sent');
  steam.world.accept(offerId ?? '', steam.viewer.steamId);
  const tradeStatus = 'IEconService/GetTradeStatus/v1';
  await until(
    async () => answerWatch.take(),
    (odd) => {
      answerWatch.putBack(odd);
      return odd.some(({ place }) => place === tradeStatus);
    },
  );
  await bot.stop();

  const twitch = await setStage();
  const channel = await setChannel(twitch, { watchMinutes: null, subscriberTier: 2 });
  twitch.world.subscribe(channel.streamer.twitchId, channel.viewer.twitchId, '3000');
  replayOf(twitch.world).speak(of('twitch'));
  const part = await twitch.startBot();
  await until(
    () => channelOf(twitch, channel.streamer.twitchId),
    ({ subscribersReadAtMs }) => subscribersReadAtMs !== null,
  );
  await part.stop();

  replayOf(stripe.world).speak(of('stripe'));
  await fetchAgain(streamer);
  replayOf(stripe.world).speak([]);
}

test('A new answer of each platform is on the operator’s page and in the report, which is replayed in turn', async () => {
  const madeUp = readFileSync(new URL('../../sandbox/shapes/made-up.json', import.meta.url), 'utf8');
  const shapes = parseShapes(madeUp);
  expect(shapes.map(({ platform }) => platform)).toEqual(['steam', 'twitch', 'stripe']);
  await subscribe(streamer, streamerBasic);
  answerWatch.take();
  await readAll(shapes);

  const db = await database();
  const watch = startAnswerWatch({ db, clock: { now: Date.now, stop: () => {} }, log: createLog('silent') });
  await watch.stop();
  const { body } = await operator.visitor.call(loader, '/operator', { guard: operatorOnly });
  const shown = body.oddAnswers as ReplayedShape[];
  expect(shown).toHaveLength(shapes.length);
  expect(shown).toEqual(expect.arrayContaining(shapes.map((shape) => expect.objectContaining(shape))));

  const folder = mkdtempSync(join(tmpdir(), 'keepsake-new-answers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const report = join(folder, 'report.json');
  expect(await runShapes(['--out', report], { db, nowMs: Date.now(), print: () => {} })).toBe(true);
  const reported = parseShapes(readFileSync(report, 'utf8'));
  expect(reported).toHaveLength(shapes.length);

  expect(answerWatch.take()).toEqual([]);
  await readAll(reported);
  const again = answerWatch.take();
  expect(again).toHaveLength(shapes.length);
  expect(again).toEqual(expect.arrayContaining(shapes.map((shape) => expect.objectContaining(shape))));
});
