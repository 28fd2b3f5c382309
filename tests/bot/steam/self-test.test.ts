import { expect, test } from 'vitest';
import { listSelfTests } from '#domain/bot/list-self-tests.ts';
import type { Dialect } from '#sandbox/steam/dialects.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
  hurriedPace,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  until,
} from '#tests/support/steam-stage.ts';

const testing = { ...hurriedPace, transfers: { ...hurriedPace.transfers, selfTestMs: 200 } };

/** A bot that knows an open claim and an accepted deposit, and an open deposit of another game. */
async function knowing() {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const part = await startBot(stage, testing);
  const given = await claim(stage, rewardId);
  const taken = (await askForDeposit(stage)).transferId;
  const hats = (await askForDeposit(stage, hat)).transferId;
  await transferIn(stage, given, 'sent');
  await transferIn(stage, hats, 'sent');
  const { offerId } = await transferIn(stage, taken, 'sent');
  expect(stage.world.accept(offerId ?? '', stage.streamer.steamId).ok).toBe(true);
  await transferIn(stage, taken, 'accepted');
  return { stage, part };
}

const outcomes = async ({ db }: SteamStage) =>
  (await listSelfTests(db.read)).map(
    ({ endpoint, appId, offers, difference }) => `${endpoint} ${appId} ${offers} ${difference ?? 'agrees'}`,
  );

const all = [
  'history 730 accepted agrees',
  'inventory 730 accepted agrees',
  'inventory 730 open agrees',
  'list 440 open agrees',
  'list 730 accepted agrees',
  'list 730 open agrees',
  'offer 440 open agrees',
  'offer 730 accepted agrees',
  'offer 730 open agrees',
  'page 440 open agrees',
  'page 730 open agrees',
];

test.each<[string, Partial<Dialect>, string[]]>([
  ['every endpoint', {}, []],
  ['all but the list of accepted offers', { silence: 'list' }, ['list 730 accepted absent']],
  ['all but the list of open offers', { openOffers: 'counterStrikeLeftOut' }, ['list 730 open absent']],
  [
    'all but offers by their ids',
    { silence: 'offer' },
    ['offer 440 open absent', 'offer 730 accepted absent', 'offer 730 open absent'],
  ],
  ['all but the page of sent offers', { silence: 'page' }, ['page 440 open absent', 'page 730 open absent']],
  ['all but the history', { silence: 'history' }, ['history 730 accepted absent']],
  [
    'all but the inventory',
    { silence: 'inventory' },
    ['inventory 730 accepted absent', 'inventory 730 open absent'],
  ],
])('A self-test agrees with %s, and names what differs until it agrees again', async (_, shape, differs) => {
  const { stage, part } = await knowing();
  await until(async () => (await outcomes(stage)).join() === all.join(), 'whole tests');
  stage.world.speak(shape);
  const expected = all.map((row) => differs.find((each) => each.startsWith(row.slice(0, -6))) ?? row);
  await until(async () => (await outcomes(stage)).join() === expected.join(), differs.join());
  const doubted = (await listSelfTests(stage.db.read)).filter(({ difference }) => difference !== null);
  expect(
    doubted.every(({ differsSinceMs, testedAtMs }) => differsSinceMs && differsSinceMs <= testedAtMs),
  ).toBe(true);
  const now = Object.values(await part.testNow()).flat();
  expect(now.filter(({ difference }) => difference !== null)).toHaveLength(differs.length);
  stage.world.speak({ silence: 'none', openOffers: 'listed' });
  await until(async () => (await outcomes(stage)).join() === all.join(), 'whole tests again');
});
