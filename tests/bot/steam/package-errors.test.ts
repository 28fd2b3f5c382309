import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LogOnVerdict } from '#bot/steam/log-on-fault.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { SteamSession } from '#bot/steam/steam-session.ts';
import { bots } from '#db/schema/bot.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { faultPresets } from '#sandbox/steam/faults.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { asInProduction } from '#tests/support/as-in-production.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  hurriedPace,
  type SteamStage,
  setSteamStage,
  transferIn,
  until,
} from '#tests/support/steam-stage.ts';

const rowOf = async (stage: SteamStage, botId: string) =>
  (await stage.db.read.select().from(bots).where(eq(bots.id, botId)))[0];

test('A refused renewal of its tokens stops one bot, with a reason; the other delivers meanwhile', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const second = stage.world.addUser({
    name: 'Second bot',
    login: { ...stage.login, accountName: 'demo_2' },
  });
  const credentials: SteamCredentials = {
    ...stage.credentials,
    name: 'bot-2',
    refreshToken: issueToken(stage.world.state, second, 'refresh'),
  };
  const ending = asInProduction();
  stage.world.pushFault({ ...faultPresets.renewalRefused, steamId: second.steamId, times: 1000 });
  const part = startSteam(stage.deps([stage.credentials, credentials]), hurriedPace);
  onTestFinished(() => part.stop());
  await until(() => part.report()['steam: bot-2']?.detail === 'webSessionRefused', 'the reason');
  await transferIn(stage, await claim(stage, rewardId), 'sent');
  await until(async () => (await rowOf(stage, 'bot-2'))?.state === 'offline', 'the bot off');
  expect(await rowOf(stage, 'bot-2')).toMatchObject({ fault: 'webSessionRefused', logOnPauseMs: 120_000 });
  expect(part.report()['steam: bot-1']).toEqual({ state: 'ready' });
  expect(ending).toEqual([]);
});

/** A ready session alone. */
async function readySession() {
  const stage = await setSteamStage();
  const ended: LogOnVerdict[] = [];
  const session = new SteamSession(
    { proxy: stage.steam.proxyUrl, pollIntervalMs: -1 },
    {
      saveRefreshToken: async () => {},
      onReady: () => {},
      onEnded: (verdict) => void ended.push(verdict),
      onOfferChanged: () => {},
    },
    stage.deps().log,
  );
  onTestFinished(() => session.end());
  void session.start(stage.credentials as { refreshToken: string });
  await until(() => session.isReady, 'a ready session');
  return { session, ended };
}

const reject = async () => Promise.reject(new Error('planted'));
const throwLater = () =>
  void setTimeout(() => {
    throw new Error('planted');
  }, 1);
const planted: [string, (session: SteamSession) => void][] = [
  [
    'steam-user, whose log-on on the web rejects',
    (session) => {
      vi.spyOn(session.clients.user, 'webLogOn').mockImplementation(() => void reject());
      session.webSessionLost();
    },
  ],
  [
    'steam-tradeoffer-manager, whose poll throws later',
    (session) => {
      vi.spyOn(session.clients.manager, 'doPoll').mockImplementation(throwLater);
      session.pollEvery(1000);
      session.pollEvery(500);
    },
  ],
  [
    'steamcommunity, whose request throws later',
    (session) => {
      vi.spyOn(session.clients.community, 'httpRequestGet').mockImplementation(throwLater);
      session.contain(() => session.clients.community.httpRequestGet('https://example.org/', () => {}));
    },
  ],
];
test.each(planted)('An error of %s ends its session alone', async (_package, plant) => {
  const { session, ended } = await readySession();
  const ending = asInProduction();
  plant(session);
  await until(() => ended.length > 0, 'the end of the session');
  expect(ended).toMatchObject([{ fault: 'steamUnavailable', next: { again: true } }]);
  expect(session.isReady).toBe(false);
  expect(ending).toEqual([]);
});
