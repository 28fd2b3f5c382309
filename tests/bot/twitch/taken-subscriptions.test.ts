import { describe, expect, onTestFinished, test } from 'vitest';
import { eventApi } from '#bot/twitch/events/event-api.ts';
import { eventsBySockets } from '#bot/twitch/events/event-by-sockets.ts';
import { eventTopics } from '#bot/twitch/events/event-topics.ts';
import { givenAlone } from '#tests/bot/twitch/points-stage.ts';
import { setChannel, setStage, until } from '#tests/bot/twitch/stage.ts';

const ignored = async () => {};
const topics = eventTopics({
  streams: { online: ignored, offline: ignored, repeat: ignored, catchUp: () => {} },
  follows: { handleFollow: ignored },
  subscribers: { handleSubscription: ignored, catchUp: () => {} },
  redemptions: { handleRedemption: ignored, mayMiss: () => {}, catchUp: () => {} },
}).filter(({ type }) => type === 'channel.follow');

/** Processes that each listen to the followers of one channel, and Twitch, which answers 409 as it does. */
async function setProcesses() {
  const stage = await setStage();
  const { streamer } = await setChannel(stage);
  const { world } = stage;
  world.faults.lingering = 'enabled';
  const { api, log } = givenAlone(stage);
  const start = () => {
    let events = 0;
    const carrier = eventsBySockets({
      log,
      api: eventApi(api),
      url: `ws://127.0.0.1:${stage.port}/ws`,
      events: {
        notified: () => {
          events += 1;
        },
        mayMiss: () => {},
        subscribed: () => {},
        permissionRefused: () => {},
        chatRevoked: () => {},
      },
      retryMs: 50,
    });
    onTestFinished(() => carrier.stop());
    const setTopics = (wanted: typeof topics) =>
      carrier.setWanted(new Map([[streamer.twitchId, wanted]]), null);
    setTopics(topics);
    return {
      ...carrier,
      setTopics,
      /** Waits until an event arrives that is sent now. */
      async hears() {
        const before = events;
        await until(
          () => {
            world.follow(streamer.twitchId, world.addUser({ login: `demo_fan_${world.users().length}` }).id);
            return events;
          },
          (now) => now > before,
          5000,
        );
      },
    };
  };
  const isComplete = ({ counts }: ReturnType<typeof start>) =>
    until(counts, ({ receiving }) => receiving === 1, 5000);
  return { world, start, isComplete };
}

describe('A subscription that Twitch says exists already', () => {
  test('is made anew if it leads to a session that was lost', async () => {
    const { world, start, isComplete } = await setProcesses();
    const process = start();
    await isComplete(process);
    world.faults.strike('eventSubDrop');
    await until(process.counts, ({ receiving }) => receiving === 0);
    await isComplete(process);
    await process.hears();
  });

  test('is made anew if Twitch knows that its session is over', async () => {
    const { world, start, isComplete } = await setProcesses();
    world.faults.lingering = 'websocket_disconnected';
    const former = start();
    await isComplete(former);
    former.stop();
    const process = start();
    await isComplete(process);
    await process.hears();
  });

  test('is left to another process, until that is gone', async () => {
    const { world, start, isComplete } = await setProcesses();
    world.faults.lingering = 'websocket_disconnected';
    const other = start();
    await isComplete(other);
    const process = start();
    await other.hears();
    await other.hears();
    expect(process.counts()).toEqual({ receiving: 0, wanted: 1, areElsewhere: false });
    expect(other.counts().receiving).toBe(1);
    other.stop();
    await isComplete(process);
    await process.hears();
  });

  test('is ours if only the answer was lost, and ends with its topic', async () => {
    const { world, start, isComplete } = await setProcesses();
    const path = '/eventsub/subscriptions';
    world.faults.failNext({ method: 'POST', path, answer: 500, afterEffect: true });
    const process = start();
    await isComplete(process);
    await process.hears();
    process.setTopics([]);
    const other = start();
    await isComplete(other);
    await other.hears();
  });
});

describe('A subscription of the application that Twitch says exists already', () => {
  /** Two conduits of the application; Twitch allows each subscription once, wherever it leads. */
  async function setConduits() {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    stage.world.faults.lingering = 'enabled';
    const events = eventApi(givenAlone(stage).api);
    const [topic] = topics as [(typeof topics)[number]];
    const subscribe = (conduitId: string) => events.subscribeConduit(streamer.twitchId, topic, conduitId);
    const conduits = [await events.createConduit(1), await events.createConduit(2)] as const;
    return { world: stage.world, events, subscribe, conduits };
  }

  test('is ours if it leads to the conduit that was asked for', async () => {
    const { world, events, subscribe, conduits } = await setConduits();
    const path = '/eventsub/subscriptions';
    world.faults.failNext({ method: 'POST', path, answer: 500, afterEffect: true });
    const id = await subscribe(conduits[0]);
    expect(await events.listOfConduit(conduits[0])).toMatchObject([{ id, status: 'enabled' }]);
  });

  test('stays, and is not taken for made, if it leads to another conduit', async () => {
    const { events, subscribe, conduits } = await setConduits();
    const id = await subscribe(conduits[0]);
    await expect(subscribe(conduits[1])).rejects.toMatchObject({ code: 'unavailable' });
    expect(await events.listOfConduit(conduits[0])).toMatchObject([{ id }]);
    expect(await events.listOfConduit(conduits[1])).toEqual([]);
    await events.unsubscribeConduit(id);
    await subscribe(conduits[1]);
    expect(await events.listOfConduit(conduits[1])).toHaveLength(1);
  });
});
