// A process is paused in the middle of what it asks of Steam: an offer that it sends, one that it confirms and one that it
// cancels. Another one takes over meanwhile, and gets as far as it does in a pause of that length. Both run here: the paused
// one goes on believing in its lease until it wakes, which is worse than a pause. In a pause of five seconds nobody takes over.
// Other effects outside are paused in tests/bot (mail, push, twitch) and tests/billing; tests/cluster stops real
// processes. Half a minute.
import { expect, onTestFinished, test } from 'vitest';
import { HELD_MS, type LeasedDeps } from '#bot/leases.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { underLease } from '#domain/bot/require-lease.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { hour } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { holdNext } from '#tests/support/held-requests.ts';
import { endLeases, heldLease, holderNamed } from '#tests/support/leases.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  hurriedPace,
  type SteamStage,
  setSteamStage,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

const [ACTIVE, ACCEPTED, UNCONFIRMED] = [2, 3, 9];
/** Seconds after which a lease that nobody renews is another process's. */
const TAKEN_OVER_S = 15;

/** A process that takes the trade bots over, and does not notice when another one does, until it wakes. */
async function startProcess(stage: SteamStage, holder: string) {
  await endLeases(stage.db, ['steam']);
  const [lease] = await takeLeases(stage.db, holderNamed(holder), ['steam']);
  if (!lease) throw new Error('another process has the lease');
  // Long enough for a busy machine: only the test ends it.
  await endLeases(stage.db, ['steam'], Date.now() + hour);
  let isAsleep = true;
  const deps: LeasedDeps = {
    ...stage.deps(),
    db: underLease(stage.db, lease),
    lease: heldLease(stage.db, {
      ...lease,
      leftMs: () => (isAsleep ? HELD_MS : 0),
      isLost: () => !isAsleep,
    }),
  };
  const part = startSteam(deps, hurriedPace);
  onTestFinished(() => part.stop());
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  const wake = () => {
    isAsleep = false;
    return part.stop();
  };
  return { part, wake };
}

/**
 * Collects the ids of the bot's offers that could ever be accepted, by the assets that they give, which differ from claim to
 * claim. Steam lets only one offer with an asset be accepted, so what was accepted shows no double.
 */
function collectOpened(stage: SteamStage, ours: () => ReturnType<SteamStage['world']['offers']>) {
  const opened = new Map<string, Set<string>>();
  stage.watcher.onChange = () => {
    for (const { id, state, give } of ours()) {
      const assets = give.map(({ assetid }) => assetid).join();
      if (state === ACTIVE) opened.set(assets, (opened.get(assets) ?? new Set()).add(id));
    }
  };
  return opened;
}

/** A process with three claims under way, whose next call of each kind waits before it takes effect, or after. */
async function setCalls(when: 'before' | 'after') {
  const stage = await setSteamStage();
  const rewards = [await promiseReward(stage), await promiseReward(stage), await promiseReward(stage)];
  const [sent, confirmed, cancelled] = rewards.map(({ rewardId }) => rewardId) as [string, string, string];
  const ours = () => stage.world.offers().filter(({ from }) => from === stage.bot.steamId);
  const opened = collectOpened(stage, ours);
  const process = await startProcess(stage, 'one');
  const cancelledId = await claim(stage, cancelled);
  await transferIn(stage, cancelledId, 'sent');
  const held = {
    confirm: holdNext(stage, 'confirm', when),
    cancel: holdNext(stage, 'cancel', when),
  };
  const confirmedId = await claim(stage, confirmed);
  await held.confirm.isHeld;
  const send = holdNext(stage, 'send', when);
  const cancel = { transferId: cancelledId, userId: stage.viewer.userId };
  await cancelTransfer(stage.db, cancel, stage.clock.now());
  await held.cancel.isHeld;
  const sentId = await claim(stage, sent);
  await send.isHeld;
  const release = () => {
    for (const each of [held.confirm, held.cancel, send]) each.release();
  };
  const cancelledOffer = (await transferOf(stage, cancelledId)).offerId;
  return { stage, process, release, sentId, confirmedId, cancelledId, cancelledOffer, ours, opened };
}
type Calls = Awaited<ReturnType<typeof setCalls>>;

/** The viewer accepts whatever can be accepted, but for the offer that is to be cancelled. */
function acceptAll({ stage, cancelledOffer, ours }: Calls): void {
  const accepting = setInterval(() => {
    for (const { id, state } of ours())
      if (state === ACTIVE && id !== cancelledOffer) stage.world.accept(id, stage.viewer.steamId);
  }, 20);
  onTestFinished(() => clearInterval(accepting));
}

async function untilDone({ stage, sentId, confirmedId, cancelledId }: Calls): Promise<void> {
  await transferIn(stage, sentId, 'accepted');
  await transferIn(stage, confirmedId, 'accepted');
  await transferIn(stage, cancelledId, 'cancelled');
}

async function expectNothingDoubled({ stage, ours, opened }: Calls): Promise<void> {
  await until(() => ours().every(({ state }) => state !== ACTIVE && state !== UNCONFIRMED), 'no open offer');
  expect([...opened.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
  expect(ours().filter(({ state }) => state === ACCEPTED)).toHaveLength(2);
  expect(stage.world.inventoryOf(stage.viewer.steamId)).toHaveLength(2);
  expect(stage.world.inventoryOf(stage.bot.steamId)).toHaveLength(1);
}

/** Waits until the other process is as far as it is after a pause of this length, when the paused one wakes. */
const passed: Record<5 | 45 | 90 | 200 | 600, (calls: Calls) => Promise<unknown>> = {
  5: async () => {},
  45: async () => {},
  90: ({ stage, sentId }) => until(async () => (await transferOf(stage, sentId)).state !== 'sending'),
  200: ({ stage, sentId }) => transferIn(stage, sentId, 'sent', 'accepted'),
  600: untilDone,
};

test.each([
  ['before a pause', 5],
  ['before a pause', 45],
  ['before a pause', 600],
  ['during a pause', 90],
  ['during a pause', 200],
  ['at the end of a pause', 5],
  ['at the end of a pause', 45],
  ['at the end of a pause', 90],
  ['at the end of a pause', 200],
  ['at the end of a pause', 600],
] as const)(
  'Offers whose sending, confirmation and cancellation take effect %s, about %d s long, are neither doubled nor lost',
  async (effect, pauseS) => {
    const calls = await setCalls(effect === 'before a pause' ? 'after' : 'before');
    acceptAll(calls);
    if (pauseS > TAKEN_OVER_S) await startProcess(calls.stage, 'two');
    if (effect !== 'at the end of a pause') calls.release();
    await passed[pauseS](calls);
    calls.release();
    if (pauseS > TAKEN_OVER_S) await calls.process.wake();
    await untilDone(calls);
    await expectNothingDoubled(calls);
  },
);

test('Two processes that are paused in turn, each in the middle of its calls, double and lose nothing', async () => {
  const calls = await setCalls('before');
  const { stage, release } = calls;
  acceptAll(calls);
  const again = holdNext(stage, 'send', 'before');
  const second = await startProcess(stage, 'two');
  // It searches for the offer in vain, and sends it anew.
  await again.isHeld;
  const third = await startProcess(stage, 'one again');
  release();
  await calls.process.wake();
  again.release();
  await second.wake();
  await untilDone(calls);
  await expectNothingDoubled(calls);
  await third.part.stop();
});
