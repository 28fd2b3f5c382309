import { eq, isNotNull } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import type { BotDeps } from '#bot/deps.ts';
import { Leases } from '#bot/leases.ts';
import { SharedSlots } from '#bot/slots.ts';
import { watchedChannelsOf } from '#bot/twitch/channel/watched-channels.ts';
import { startTwitch } from '#bot/twitch/start-twitch.ts';
import { watchInSlots } from '#bot/twitch/start-watching.ts';
import { channels, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { slotNames } from '#domain/bot/take-slots.ts';
import { minute } from '#domain/kernel/time.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';
import {
  addTwitchPerson,
  goLive,
  listRequests,
  type Stage,
  setChannel,
  setStage,
  until,
  watched,
} from './stage.ts';

/** Channels that are live, each with one viewer of its own; whoever else is given is in all of them. */
async function setLive(stage: Stage, amount: number, everywhere: readonly string[] = []) {
  const live: { channelId: string; viewerId: string }[] = [];
  for (let n = 0; n < amount; n++) {
    const { streamer, viewer } = await setChannel(stage, { watchMinutes: 1000, rewards: 0 });
    stage.world.joinChat(streamer.twitchId, everywhere);
    live.push({ channelId: streamer.twitchId, viewerId: viewer.twitchId });
  }
  const tracking = await startTwitch(stage.deps, hurriedTwitchPace);
  onTestFinished(() => tracking.stop());
  for (const { channelId } of live) await goLive(stage, channelId);
  return live;
}

/** A process that watches in its share of the slots. */
function watch(stage: Stage, holder: string, given: Partial<BotDeps> = {}) {
  const deps = { ...stage.deps, db: stage.db, ...given };
  const slots = new SharedSlots(deps, holderNamed(holder));
  const watching = watchInSlots(deps, slots, watchedChannelsOf(deps.db), hurriedTwitchPace);
  onTestFinished(() => watching.stop());
  const isMine = ({ channelId }: { channelId: string }) => slots.leaseOf(channelId)?.isHeld() === true;
  return { isMine, stop: () => watching.stop(), report: () => watching.report().watching };
}

/** Lets minutes pass, each once all channels were read. */
async function pass(stage: Stage, live: readonly { channelId: string }[], minutes: number) {
  for (let passed = 0; passed < minutes; passed++) {
    stage.advance(minute);
    await until(
      () =>
        stage.db.read
          .select({ until: channels.watchedUntilMs })
          .from(channels)
          .where(eq(channels.live, true)),
      (rows) => rows.filter(({ until }) => until === stage.clock.now()).length === live.length,
    );
  }
}

test('Processes share the channels, and watch time stays exact while they come, stop and are killed', async () => {
  const stage = await setStage();
  const live = await setLive(stage, 6);
  const one = watch(stage, 'one');
  await pass(stage, live, 2);
  const two = watch(stage, 'two');
  await until(
    () => [live.filter(one.isMine).length, live.filter(two.isMine).length],
    ([first = 0, second = 0]) => first > 0 && second > 0 && first + second === live.length,
  );
  await pass(stage, live, 2);
  await one.stop();
  await until(
    () => live.filter(two.isMine).length,
    (mine) => mine === live.length,
  );
  await pass(stage, live, 1);
  let isAlive = true;
  const transaction: typeof stage.db.transaction = (...args) =>
    isAlive ? stage.db.transaction(...args) : Promise.reject(new Error('killed'));
  const heartbeat: typeof stage.db.heartbeat = (write) =>
    isAlive ? stage.db.heartbeat(write) : Promise.reject(new Error('killed'));
  const three = watch(stage, 'three', { db: { ...stage.db, transaction, heartbeat } });
  await until(
    () => [live.filter(two.isMine).length, live.filter(three.isMine).length],
    ([first = 0, second = 0]) => first > 0 && second > 0 && first + second === live.length,
  );
  await pass(stage, live, 1);
  isAlive = false;
  await endLeases(stage.db, slotNames);
  await until(
    () => live.filter(two.isMine).length,
    (mine) => mine === live.length,
  );
  await pass(stage, live, 2);
  expect(await watched(stage.db)).toEqual(Object.fromEntries(live.map(({ viewerId }) => [viewerId, 8 * 60])));
  expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
  expect(two.report()).toMatchObject({ state: 'ready' });
});

test('A process that stops while a reading hangs leaves the channels at once, and the reading is done by another', async () => {
  const stage = await setStage();
  const live = await setLive(stage, 2);
  const hung = { begin: () => {}, end: () => {} };
  const begun = new Promise<void>((resolve) => {
    hung.begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    hung.end = resolve;
  });
  let hangs = false;
  const transaction: typeof stage.db.transaction = async (decide, options) => {
    if (hangs && options && 'first' in options) {
      hung.begin();
      await ended;
    }
    return stage.db.transaction(decide, options);
  };
  const one = watch(stage, 'one', { db: { ...stage.db, transaction } });
  onTestFinished(hung.end);
  await pass(stage, live, 2);
  hangs = true;
  stage.advance(minute);
  await begun;
  const stopped = one.stop();
  const two = watch(stage, 'two');
  await until(
    () => live.filter(two.isMine).length,
    (mine) => mine === live.length,
  );
  await pass(stage, live, 1);
  hung.end();
  await stopped;
  expect(await watched(stage.db)).toEqual(Object.fromEntries(live.map(({ viewerId }) => [viewerId, 4 * 60])));
});

test('An account earns in no more channels than it may, whichever processes read them', async () => {
  const stage = await setStage();
  const script = await addTwitchPerson(stage);
  const live = await setLive(stage, 8, [script.twitchId]);
  const [one, two] = [watch(stage, 'one'), watch(stage, 'two')];
  await until(
    () => [live.filter(one.isMine).length, live.filter(two.isMine).length],
    ([first = 0, second = 0]) => first > 0 && second > 0 && first + second === live.length,
  );
  // Both may let it in during one minute, and the later ones take it back in the next.
  await pass(stage, live, 3);
  const places = () => stage.db.read.select().from(watchTimes).where(isNotNull(watchTimes.since));
  const earning = (await places()).filter(({ twitchId }) => twitchId === script.twitchId);
  expect(earning.length).toBe(stage.deps.config.watchedAtOnce);
  expect((await places()).length).toBe(live.length + stage.deps.config.watchedAtOnce);
});

test('Of four processes one opens sockets, so that none takes the last of Twitch’s three; the others stand by', async () => {
  const stage = await setStage();
  const requests = listRequests(stage);
  await setChannel(stage);
  await endLeases(stage.db, ['twitch:0']);
  const processes = ['one', 'two', 'three', 'four'].map((holder) => {
    const leases = new Leases({ ...stage.deps, db: stage.db }, holderNamed(holder));
    const part = leases.whileHeld('twitch:0', ['twitch', 'chat'], (deps) =>
      startTwitch(deps, hurriedTwitchPace),
    );
    onTestFinished(async () => {
      await part.stop();
      await leases.stop();
    });
    return part;
  });
  const reports = await until(
    () => processes.map((part) => part.report().twitch?.detail).sort(),
    (details) => details.includes('receiving events from 1 of 1 channels') && !details.includes(undefined),
  );
  const standby = 'another process does this';
  expect(reports).toEqual([standby, standby, standby, 'receiving events from 1 of 1 channels']);
  expect(requests.count('GET /ws')).toBe(1);
});
