import type { TwitchWorld } from './world.ts';

const second = 1000;

/** Gives a channel followers that nobody knows, one for each second before now. */
export function addFollowers(world: TwitchWorld, broadcasterId: string, count: number): void {
  const nowMs = world.now();
  for (let number = 1; number <= count; number += 1) {
    const login = `follower_${broadcasterId}_${String(number).padStart(6, '0')}`;
    const user = world.userByLogin(login) ?? world.addUser({ login, displayName: login });
    world.follow(broadcasterId, user.id, nowMs - number * second);
  }
}
