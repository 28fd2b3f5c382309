// A bot process is killed while it sends a claim that has not reached Steam yet, and another one takes over with the paces
// and leases of production: it looks for the offer twice before it sends one. A minute and a half.
import { expect, onTestFinished, test } from 'vitest';
import { spawnBot } from '#tests/support/bot-process.ts';
import { holdNext } from '#tests/support/held-requests.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { type SteamStage, setSteamStage, transferIn, transferOf, until } from '#tests/support/steam-stage.ts';

const [ACTIVE, ACCEPTED] = [2, 3];
const PATIENCE_MS = 180_000;

const oursOf = ({ world, bot }: SteamStage) => world.offers().filter(({ from }) => from === bot.steamId);

/** Notes, in their order, what Steam is asked about offers, and the offers that could ever be accepted. */
function observe(stage: SteamStage) {
  const asked: string[] = [];
  const opened = new Set<string>();
  const { hold } = stage.watcher;
  stage.watcher.hold = (target, when) => {
    if (when === 'before' && (target === 'send' || target === 'getTradeOffers')) asked.push(target);
    return hold(target, when);
  };
  stage.watcher.onChange = () => {
    for (const { id, state } of oursOf(stage)) if (state === ACTIVE) opened.add(id);
  };
  return { asked, opened };
}

/** A claim whose sender is killed before Steam has made its offer. The request is carried out once it is released. */
async function interruptedClaim() {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const { asked, opened } = observe(stage);
  const sending = holdNext(stage, 'send', 'before');
  onTestFinished(sending.release);
  const first = spawnBot(stage);
  await until(() => first.output().includes('the bot is ready'), 'a ready bot', PATIENCE_MS);
  const transferId = await claim(stage, rewardId);
  await sending.isHeld;
  const second = spawnBot(stage);
  await until(() => second.output().includes('the bot is listening'), 'the second process', PATIENCE_MS);
  asked.length = 0;
  first.kill();
  expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
  return { stage, transferId, asked, opened, release: sending.release };
}

/** Accepts the only offer that can be accepted, and waits until the claim is done. */
async function accept(stage: SteamStage, transferId: string): Promise<void> {
  await until(() => {
    const [open] = oursOf(stage).filter(({ state }) => state === ACTIVE);
    return open && stage.world.accept(open.id, stage.viewer.steamId).ok;
  }, 'an offer to accept');
  await transferIn(stage, transferId, 'accepted');
}

test('A claim whose sender was killed is sent again after two searches, and a late first offer is never open', async () => {
  const { stage, transferId, asked, opened, release } = await interruptedClaim();
  await until(() => asked.includes('send'), 'the second sending', PATIENCE_MS);
  expect(asked.filter((each) => each === 'getTradeOffers').length).toBeGreaterThanOrEqual(2);
  expect(asked.at(-1)).toBe('send');
  await transferIn(stage, transferId, 'sent');
  expect(await transferOf(stage, transferId)).toMatchObject({ attempts: 2 });
  // Steam carries the first request out after all.
  release();
  await until(() => oursOf(stage).length === 2, 'the late offer');
  await accept(stage, transferId);
  expect([...opened]).toEqual([(await transferOf(stage, transferId)).offerId]);
  expect(oursOf(stage).filter(({ state }) => state === ACCEPTED)).toHaveLength(1);
  expect(stage.world.inventoryOf(stage.viewer.steamId)).toHaveLength(1);
});

test('An offer that Steam makes after the first search is found by the second, and no other is sent', async () => {
  const { stage, transferId, asked, opened, release } = await interruptedClaim();
  await until(
    async () => (await transferOf(stage, transferId)).cleanPolls === 1,
    'the first search',
    PATIENCE_MS,
  );
  release();
  await until(
    async () => (await transferOf(stage, transferId)).state !== 'uncertain',
    'the search',
    PATIENCE_MS,
  );
  await accept(stage, transferId);
  expect(await transferOf(stage, transferId)).toMatchObject({ attempts: 1 });
  expect(asked).not.toContain('send');
  expect(oursOf(stage)).toHaveLength(1);
  expect(opened.size).toBe(1);
});
