import { describe, expect, test } from 'vitest';
import { seedTwitch } from '#sandbox/twitch/seed.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';
import { TwitchWorldError, type WorldEvent } from '#sandbox/twitch/world-state.ts';
import { userNamed } from './start-demo.ts';

function demoWorld() {
  const clock = { nowMs: 1_900_000_000_000 };
  const world = new TwitchWorld({ now: () => clock.nowMs });
  seedTwitch(world);
  return {
    world,
    clock,
    streamer: userNamed(world, 'demo_streamer'),
    viewer: userNamed(world, 'demo_viewer_01'),
  };
}

describe('the world of the sandbox’s Twitch', () => {
  test('is restored from its JSON unchanged, with tokens', () => {
    const { world, streamer, viewer } = demoWorld();
    const token = world.tokens.issue({ clientId: 'demo', userId: viewer.id, scopes: ['chat:read'] });
    world.goLive(streamer.id, { title: 'Demo', gameName: 'Dota 2' });
    world.addChatters(streamer.id, 5);
    world.say(streamer.id, viewer.id, 'hello');
    world.subscribe(streamer.id, viewer.id, '2000');
    const text = JSON.stringify(world);
    const again = TwitchWorld.fromJSON(JSON.parse(text), { now: world.now });
    expect(JSON.stringify(again)).toBe(text);
    expect(again.tokens.findValid(token.accessToken)?.userId).toBe(viewer.id);
    expect(again.chattersOf(streamer.id)).toHaveLength(5);
    expect(again.addUser({ login: 'demo_late' }).id).not.toBe(world.users().at(-1)?.id);
  });

  test('is seeded once, with follows of different ages', () => {
    const { world, clock, streamer } = demoWorld();
    const before = JSON.stringify(world);
    seedTwitch(world);
    expect(JSON.stringify(world)).toBe(before);
    const days = world.followersOf(streamer.id).map((f) => (clock.nowMs - f.followedAtMs) / 86_400_000);
    expect(days).toEqual([1, 7, 14, 30, 45, 90, 180, 365, 400, 730, 1200]);
    expect(world.users().every((user) => user.id.length >= 5 && user.email.endsWith('@example.org'))).toBe(
      true,
    );
  });

  test('reports every change', () => {
    const { world, streamer } = demoWorld();
    let changes = 0;
    world.onChange = () => {
      changes += 1;
    };
    world.goLive(streamer.id);
    world.setChatters(streamer.id, []);
    world.tokens.issue({ clientId: 'demo', userId: streamer.id, scopes: [] });
    expect(changes).toBe(3);
  });

  test('keeps the id of a renamed user and frees the old login', () => {
    const { world, viewer } = demoWorld();
    const { id } = viewer;
    world.rename(id, 'Demo_Renamed');
    expect(world.userByLogin('demo_renamed')?.id).toBe(id);
    expect(world.userByLogin('demo_viewer_01')).toBeUndefined();
    expect(() => world.rename(id, 'demo_streamer')).toThrow(TwitchWorldError);
  });

  test('flaps with one stream id and starts a new stream otherwise', () => {
    const { world, streamer } = demoWorld();
    const events: WorldEvent['type'][] = [];
    world.subscribeToEvents((event) => events.push(event.type));
    const first = world.goLive(streamer.id).id;
    world.goOffline(streamer.id, { flapping: true });
    expect(world.streamOf(streamer.id)?.id).toBe(first);
    world.goOffline(streamer.id);
    expect(world.goLive(streamer.id).id).not.toBe(first);
    expect(events).toEqual(['online', 'offline', 'online', 'offline', 'online']);
  });

  test('shows chatters late when the list lags', () => {
    const { world, clock, streamer, viewer } = demoWorld();
    world.chatterLagSeconds = 30;
    world.setChatters(streamer.id, [viewer.id]);
    expect(world.chattersOf(streamer.id)).toEqual([]);
    clock.nowMs += 30_000;
    expect(world.chattersOf(streamer.id)).toEqual([viewer]);
    world.removeChatters(streamer.id, [viewer.id]);
    clock.nowMs += 29_000;
    expect(world.chattersOf(streamer.id)).toEqual([viewer]);
    clock.nowMs += 1000;
    expect(world.chattersOf(streamer.id)).toEqual([]);
  });

  test('reuses anonymous viewers before it creates new ones', () => {
    const { world, streamer } = demoWorld();
    const first = world.addChatters(streamer.id, 3).map((user) => user.login);
    expect(first[0]).toMatch(/^demo_chatter_/);
    world.removeChatters(streamer.id);
    expect(
      world
        .addChatters(streamer.id, 4)
        .map((user) => user.login)
        .slice(0, 3),
    ).toEqual(first);
    expect(world.chattersOf(streamer.id)).toHaveLength(4);
  });

  test('refuses redemptions beyond the reward’s limits', () => {
    const { world, clock, streamer, viewer } = demoWorld();
    const reward = world.channelPoints.createReward('demo', streamer.id, {
      title: 'Demo',
      cost: 1,
      backgroundColor: '#000000',
      isEnabled: true,
      isPaused: false,
      isUserInputRequired: false,
      maxPerStream: 2,
      maxPerUserPerStream: 1,
      globalCooldownSeconds: null,
      skipsRequestQueue: false,
    });
    expect(world.redeem(streamer.id, viewer.id, 'unknown')).toEqual({ ok: false, code: 'unknownReward' });
    expect(world.redeem(streamer.id, viewer.id, reward.id).ok).toBe(true);
    expect(world.redeem(streamer.id, viewer.id, reward.id)).toEqual({ ok: false, code: 'userLimitReached' });
    expect(world.redeem(streamer.id, userNamed(world, 'demo_viewer_02').id, reward.id).ok).toBe(true);
    expect(world.redeem(streamer.id, userNamed(world, 'demo_viewer_03').id, reward.id)).toEqual({
      ok: false,
      code: 'outOfStock',
    });
    world.channelPoints.updateReward(reward.id, { maxPerStream: null, globalCooldownSeconds: 60 });
    const late = userNamed(world, 'demo_viewer_04').id;
    expect(world.redeem(streamer.id, late, reward.id)).toEqual({ ok: false, code: 'onCooldown' });
    clock.nowMs += 60_000;
    expect(world.redeem(streamer.id, late, reward.id).ok).toBe(true);
    world.channelPoints.updateReward(reward.id, { isPaused: true });
    expect(world.redeem(streamer.id, viewer.id, reward.id)).toEqual({ ok: false, code: 'rewardPaused' });
    world.channelPoints.updateReward(reward.id, { isPaused: false, globalCooldownSeconds: null, cost: 100 });
    clock.nowMs += 1;
    world.channelPoints.setBalance(streamer.id, viewer.id, 99);
    world.channelPoints.updateReward(reward.id, { maxPerUserPerStream: null });
    expect(world.redeem(streamer.id, viewer.id, reward.id)).toEqual({ ok: false, code: 'notEnoughPoints' });
  });

  test('charges for a redemption, refunds it when it is cancelled, and saves balances', () => {
    const { world, streamer, viewer } = demoWorld();
    const { channelPoints } = world;
    const reward = channelPoints.createReward('demo', streamer.id, {
      title: 'Demo',
      cost: 300,
    });
    channelPoints.setBalance(streamer.id, viewer.id, 1000);
    const [first, second] = [1, 2].map(() => world.redeem(streamer.id, viewer.id, reward.id));
    if (!first?.ok || !second?.ok) throw new Error('refused');
    expect(channelPoints.balanceOf(streamer.id, viewer.id)).toBe(400);
    channelPoints.setStatus(first.redemption.id, 'CANCELED');
    channelPoints.setStatus(second.redemption.id, 'FULFILLED');
    const again = TwitchWorld.fromJSON(JSON.parse(JSON.stringify(world)), { now: world.now });
    expect(again.channelPoints.balanceOf(streamer.id, viewer.id)).toBe(700);
  });
});
