import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { follows, subscribers } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { conduits, seenMessages } from '#db/schema/twitch.ts';
import { minute } from '#domain/kernel/time.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { hurryTwurple } from '#tests/support/hurried-twurple.ts';
import {
  addTwitchPerson,
  channelOf,
  clientId,
  goLive,
  goOffline,
  isOver,
  listRequests,
  pass,
  type Stage,
  setChannel,
  setStage,
  until,
  watched,
} from './stage.ts';

beforeAll(hurryTwurple);

type Bot = Awaited<ReturnType<Stage['startBot']>>;

/** Polls only at the start and after each gap, so everything else must come from events. */
const hearingOnly = { reconcileMs: 60 * minute };
const carriers = { sockets: { conduitFrom: 50 }, conduit: { conduitFrom: 1 } } as const;
const asksSubscription = { watchMinutes: null, subscriberTier: 1 } satisfies Partial<RuleDraft>;

const allReceived = (bot: Bot, channels = 1) =>
  until(
    () => bot.report().twitch?.detail,
    (detail) => detail === `receiving events from ${channels} of ${channels} channels`,
  );

/** Until a process leaves the conduit to another one. */
const waits = (bot: Bot) =>
  until(
    () => bot.report().twitch,
    (report) => report?.state === 'ready' && report.detail === 'another process receives the events',
  );

const isLive = (stage: Stage, channelId: string, live: boolean) =>
  until(
    () => channelOf(stage, channelId),
    (channel) => channel.live === live,
  );

const subscriptionPosts = 'POST /eventsub/subscriptions';

/** A channel whose events a bot receives over the carrier. */
async function receive(
  carrier: keyof typeof carriers,
  rule: Partial<RuleDraft> = {},
  pace: Parameters<Stage['startBot']>[0] = {},
  facts: Parameters<typeof setStage>[0] = {},
) {
  const stage = await setStage(facts);
  const requests = listRequests(stage);
  const people = await setChannel(stage, rule);
  const channelId = people.streamer.twitchId;
  const bot = await stage.startBot({ ...hearingOnly, ...carriers[carrier], ...pace });
  await allReceived(bot);
  return { stage, requests, ...people, channelId, bot, world: stage.world };
}

const knownSubscribers = async (stage: Stage) =>
  (await stage.db.read.select().from(subscribers)).map(({ twitchId, tier }) => [twitchId, tier]);

describe.each(['sockets', 'conduit'] as const)('Events over %s', (carrier) => {
  test('report streams, follows and subscriptions as they happen', async () => {
    const { stage, world, channelId, viewer } = await receive(carrier, {
      ...asksSubscription,
      followDays: 1,
    });
    await goLive(stage, channelId);
    await goOffline(stage, channelId);
    world.follow(channelId, viewer.twitchId);
    await until(
      () => stage.db.read.select().from(follows),
      (rows) => rows.length === 1,
    );
    world.subscribe(channelId, viewer.twitchId, '3000');
    await expect.poll(() => knownSubscribers(stage)).toEqual([[viewer.twitchId, 3]]);
    world.unsubscribe(channelId, viewer.twitchId);
    await expect.poll(() => knownSubscribers(stage)).toEqual([]);
    expect(await stage.db.read.select().from(conduits)).toHaveLength(carrier === 'conduit' ? 1 : 0);
  });

  test('continue over new sockets when Twitch asks for it, without new subscriptions', async () => {
    const { stage, world, requests, channelId, bot } = await receive(carrier);
    const before = { posts: requests.count(subscriptionPosts), sockets: requests.count('GET /ws') };
    world.faults.strike('eventSubReconnect');
    await until(
      () => requests.count('GET /ws'),
      (count) => count > before.sockets,
    );
    world.goLive(channelId);
    await isLive(stage, channelId, true);
    await allReceived(bot);
    expect(requests.count(subscriptionPosts)).toBe(before.posts);
  });

  for (const fault of ['eventSubDrop', 'eventSubHalfOpen'] as const)
    test(`arrive again after ${fault}, and changes meanwhile are found`, async () => {
      // Silence is detected by missing keepalives.
      const facts = { keepaliveSeconds: fault === 'eventSubHalfOpen' ? 2 : 10 };
      const { stage, world, requests, channelId, viewer, bot } = await receive(
        carrier,
        asksSubscription,
        {},
        facts,
      );
      const posts = requests.count(subscriptionPosts);
      world.faults.strike(fault);
      world.goLive(channelId);
      world.subscribe(channelId, viewer.twitchId, '2000');
      // The list of subscribers is reread only after some domain minutes.
      stage.advance(5 * minute);
      await isLive(stage, channelId, true);
      await expect.poll(() => knownSubscribers(stage)).toEqual([[viewer.twitchId, 2]]);
      await allReceived(bot);
      world.goOffline(channelId);
      await isOver(stage, channelId);
      const isSaved = carrier === 'conduit';
      await expect.poll(() => requests.count(subscriptionPosts)).toBe(isSaved ? posts : 2 * posts);
    });

  test('that arrive twice change nothing, and are stored once', async () => {
    const { stage, world, channelId, viewer } = await receive(carrier, asksSubscription);
    world.faults.duplicateNextEvent(3);
    world.subscribe(channelId, viewer.twitchId, '1000');
    world.unsubscribe(channelId, viewer.twitchId);
    world.subscribe(channelId, viewer.twitchId, '2000');
    await expect.poll(() => knownSubscribers(stage)).toEqual([[viewer.twitchId, 2]]);
    await expect.poll(async () => (await stage.db.read.select().from(seenMessages)).length).toBe(3);
    expect(await stage.db.read.select().from(qualifications)).toHaveLength(1);
  });

  test('that arrive out of order do not undo newer ones', async () => {
    const { stage, world, channelId, viewer } = await receive(carrier, asksSubscription);
    await goLive(stage, channelId);
    const tick = async () => {
      const now = Date.now();
      await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(now);
    };
    await tick();
    world.faults.delayNextEvent();
    world.goOffline(channelId);
    await tick();
    world.goLive(channelId, { sameStream: true });
    const seen = async () => (await stage.db.read.select().from(seenMessages)).length;
    await expect.poll(seen).toBe(3);
    expect(await channelOf(stage, channelId)).toMatchObject({ live: true });
    world.subscribe(channelId, viewer.twitchId, '1000');
    await tick();
    world.faults.delayNextEvent();
    world.unsubscribe(channelId, viewer.twitchId);
    await tick();
    world.subscribe(channelId, viewer.twitchId, '1000');
    await expect.poll(seen).toBe(6);
    expect(await knownSubscribers(stage)).toEqual([[viewer.twitchId, 1]]);
  });

  test('end when the broadcaster revokes consent, and the rules are paused', async () => {
    // Nothing else calls Twitch meanwhile, so only the revocation can have caused it.
    const pace = { retryAfterMs: 60 * minute };
    const { stage, world, channelId, ruleId } = await receive(carrier, asksSubscription, pace);
    world.revokeAuthorization(channelId);
    const stateOf = async () => {
      const [rule] = await stage.db.read.select().from(rules).where(eq(rules.id, ruleId));
      return rule?.pauseReason;
    };
    await expect.poll(stateOf).toBe('lostPermission');
  });

  for (const answer of [401, 403, 429, 500, 'drop'] as const)
    test(`arrive although Twitch first answered ${answer}`, async () => {
      const stage = await setStage();
      const { streamer, ruleId } = await setChannel(stage);
      const { faults } = stage.world;
      // As often as a call is repeated, for two topics or one, so that the carrier has to retry it.
      const times = { 401: 2, 403: 1, 429: 1, 500: 4, drop: 4 }[answer];
      const topics = answer === 403 ? 1 : 2;
      faults.failNext({ answer, path: '/eventsub/subscriptions', method: 'POST', times: topics * times });
      if (carrier === 'conduit') {
        faults.failNext({ answer, path: '/mock/eventsub/conduits', method: 'POST' });
        faults.failNext({ answer, path: '/mock/eventsub/conduits/shards', method: 'PATCH', times });
      }
      const bot = await stage.startBot({ ...hearingOnly, ...carriers[carrier] });
      await allReceived(bot);
      expect(faults.pending().requests).toEqual([]);
      await goLive(stage, streamer.twitchId);
      const [rule] = await stage.db.read.select().from(rules).where(eq(rules.id, ruleId));
      expect(rule?.state).toBe('open');
    });

  test('that reach two processes started by mistake count once', async () => {
    // An end that Twitch sends to the process that has just stopped is lost, and found by polling.
    const { stage, world, channelId, viewer, streamer, bot } = await receive(
      carrier,
      {},
      { streamLagMs: 500 },
    );
    const asking = await addRule(stage.db, streamer, { ...asksSubscription, rewards: 3 });
    const other = await stage.startBot({ ...hearingOnly, ...carriers[carrier] });
    await allReceived(bot);
    if (carrier === 'conduit') await waits(other);
    else await allReceived(other);
    await goLive(stage, channelId);
    world.subscribe(channelId, viewer.twitchId, '1000');
    for (let minutes = 0; minutes < 3; minutes += 1) await pass(stage, channelId);
    const promised = async () =>
      (await stage.db.read.select().from(rewards).where(eq(rewards.ruleId, asking))).filter(
        ({ state }) => state === 'promised',
      );
    await expect.poll(async () => (await promised()).length).toBe(1);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 180 });
    await other.stop();
    await goOffline(stage, channelId);
    await goLive(stage, channelId);
    await pass(stage, channelId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 240 });
    expect(await promised()).toHaveLength(1);
  });

  test('that are lost are made up for, even right after one that says otherwise', async () => {
    const { stage, world, channelId } = await receive(carrier, {}, { streamLagMs: 500 });
    await goLive(stage, channelId);
    world.faults.loseNextEvent();
    world.goOffline(channelId);
    world.faults.strike('eventSubDrop');
    await isOver(stage, channelId);
  });

  test('from a time without a process are found at the next start', async () => {
    const { stage, world, requests, channelId, viewer, bot } = await receive(carrier, asksSubscription);
    await goLive(stage, channelId);
    await bot.stop();
    const posts = requests.count(subscriptionPosts);
    world.goOffline(channelId);
    world.subscribe(channelId, viewer.twitchId, '2000');
    const next = await stage.startBot({ ...hearingOnly, ...carriers[carrier] });
    await isOver(stage, channelId);
    await expect.poll(() => knownSubscribers(stage)).toEqual([[viewer.twitchId, 2]]);
    await allReceived(next);
    await goLive(stage, channelId);
    const renewed = requests.count(subscriptionPosts) - posts;
    if (carrier === 'conduit') expect(renewed).toBe(0);
    else expect(renewed).toBeGreaterThan(0);
  });
});

test('A user’s fourth socket is refused by Twitch, and polling replaces it until there is room', async () => {
  const { stage, channelId, bot } = await receive('sockets');
  for (let more = 0; more < 2; more += 1)
    await allReceived(await stage.startBot({ ...hearingOnly, ...carriers.sockets }));
  const fourth = await stage.startBot({ ...carriers.sockets });
  await goLive(stage, channelId);
  await expect
    .poll(() => fourth.report().twitch)
    .toEqual({ state: 'ready', detail: 'receiving events from 0 of 1 channels' });
  await bot.stop();
  await allReceived(fourth);
});

describe('A conduit', () => {
  const creations = 'POST /mock/eventsub/conduits';

  /** Calls the sandbox as the application. */
  const ask = async (stage: Stage, method: string, body?: unknown) => {
    const { accessToken } = stage.world.tokens.issue({ clientId, userId: null, scopes: [] });
    const response = await fetch(`http://localhost:${stage.port}/mock/eventsub/conduits`, {
      method,
      headers: {
        Authorization: `Bearer ${accessToken}`,
        'Client-Id': clientId,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { data: { id: string; shard_count: number }[] };
  };

  test('that was created but not stored is found in the list, and gets its shards', async () => {
    const { stage, requests, bot, channelId } = await receive('conduit');
    const [saved] = await stage.db.read.select().from(conduits);
    await bot.stop();
    await stage.db.transaction((tx) => tx.delete(conduits));
    await ask(stage, 'PATCH', { id: saved?.id, shard_count: 1 });
    await allReceived(await stage.startBot({ ...hearingOnly, ...carriers.conduit }));
    expect((await stage.db.read.select().from(conduits)).map(({ id }) => id)).toEqual([saved?.id]);
    expect((await ask(stage, 'GET')).data).toEqual([{ id: saved?.id, shard_count: 2 }]);
    expect(requests.count(creations)).toBe(1);
    await goLive(stage, channelId);
  });

  test('that lost a socket continues over the other, and gets a new one', async () => {
    const { stage, world, requests, channelId, bot } = await receive('conduit');
    const moves = () => requests.count('PATCH /mock/eventsub/conduits/shards');
    const before = moves();
    world.faults.strike('eventSubDropShard');
    await goLive(stage, channelId);
    await until(moves, (count) => count > before);
    await goOffline(stage, channelId);
    await goLive(stage, channelId);
    await allReceived(bot);
  });

  test('whose process is gone is taken over by one that waits, which finds what changed', async () => {
    const { stage, channelId, bot } = await receive('conduit');
    const other = await stage.startBot({ ...hearingOnly, ...carriers.conduit });
    await waits(other);
    await allReceived(bot);
    await bot.stop();
    stage.world.goLive(channelId);
    await isLive(stage, channelId, true);
    await allReceived(other);
    await goOffline(stage, channelId);
    const third = await stage.startBot({ ...hearingOnly, ...carriers.conduit });
    await waits(third);
    // Both find a new conduit, and one of them leaves it to the other.
    stage.world.faults.strike('eventSubDeleteConduits');
    const details = () => [other, third].map((one) => one.report().twitch?.detail);
    await until(details, (both) => both.includes('receiving events from 1 of 1 channels'));
    await goLive(stage, channelId);
  });

  test('that Twitch deleted is replaced', async () => {
    const { stage, world, requests, channelId, bot } = await receive('conduit');
    const [old] = await stage.db.read.select().from(conduits);
    world.faults.strike('eventSubDeleteConduits');
    world.faults.strike('eventSubDrop');
    await until(
      () => stage.db.read.select().from(conduits),
      (rows) => rows.length === 1 && rows[0]?.id !== old?.id,
    );
    await allReceived(bot);
    expect(requests.count(creations)).toBe(2);
    await goLive(stage, channelId);
  });

  test('asks who is live a few times at the start, and not after each subscription', async () => {
    const stage = await setStage();
    const requests = listRequests(stage);
    await setChannel(stage);
    for (let count = 1; count < 12; count += 1) {
      const streamer = await addTwitchPerson(stage, { streams: true });
      await addRule(stage.db, streamer, { watchMinutes: 10, rewards: 1 });
    }
    const bot = await stage.startBot({ ...hearingOnly, conduitFrom: 1, surveyMs: 2000 });
    await allReceived(bot, 12);
    // Ten seconds lie between two polls for missed events.
    expect(requests.count('GET /mock/streams')).toBeLessThanOrEqual(2);
  });

  test('takes over when there are enough channels, and hands back when a fifth are gone', async () => {
    const stage = await setStage();
    const requests = listRequests(stage);
    const { streamer, ruleId } = await setChannel(stage);
    const bot = await stage.startBot({ ...hearingOnly, conduitFrom: 2 });
    await allReceived(bot);
    expect(requests.count(creations)).toBe(0);
    const second = await addTwitchPerson(stage, { streams: true });
    await addRule(stage.db, second, { watchMinutes: 10, rewards: 1 });
    await until(
      () => requests.count(creations),
      (count) => count === 1,
    );
    await allReceived(bot, 2);
    await goLive(stage, streamer.twitchId);
    await goLive(stage, second.twitchId);
    await goOffline(stage, streamer.twitchId);
    await stage.db.transaction((tx) => tx.update(rules).set({ state: 'closed' }).where(eq(rules.id, ruleId)));
    await allReceived(bot, 1);
    await goOffline(stage, second.twitchId);
  });
});
