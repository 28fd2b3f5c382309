import type { TwitchWorld } from './world.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Number of days for which each demo viewer has followed; null if they do not follow. */
const followAgesInDays = [1200, 730, 400, 365, 180, 90, 45, 30, 14, 7, 1, null] as const;

/** Adds the demo people to a new world; leaves a seeded world as it is. */
export function seedTwitch(world: TwitchWorld): void {
  if (world.userByLogin('demo_streamer')) return;
  const streamer = world.addUser({
    login: 'demo_streamer',
    displayName: 'Demo_Streamer',
    broadcasterType: 'affiliate',
  });
  const chatAccount = world.addUser({ login: 'keepsake_demo_bot', displayName: 'Keepsake_Demo_Bot' });
  world.addModerator(streamer.id, chatAccount.id);
  followAgesInDays.forEach((days, index) => {
    const number = String(index + 1).padStart(2, '0');
    const viewer = world.addUser({ login: `demo_viewer_${number}`, displayName: `Demo_Viewer_${number}` });
    if (days !== null) world.follow(streamer.id, viewer.id, world.now() - days * dayMs);
  });
  world.addUser({
    login: 'demo_newcomer_streamer',
    displayName: 'Demo_Newcomer_Streamer',
    broadcasterType: 'affiliate',
  });
  world.addUser({ login: 'demo_newcomer_viewer', displayName: 'Demo_Newcomer_Viewer' });
}
