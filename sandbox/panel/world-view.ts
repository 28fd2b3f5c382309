import { facePath } from '#sandbox/twitch/faces.ts';
import type { Panel } from './panel.ts';
import { broadcasters, namedUsers } from './twitch-words.ts';

/** A summary of the whole world, for tests and for scripts that wait for a state. */
export function addWorldView(panel: Panel): void {
  const { clock, twitch, steam, addresses } = panel.worlds;
  panel.json(
    '/world.json',
    'A summary of the world: time, people, channels. Anonymous viewers are only counted.',
    () => ({
      nowMs: clock.now(),
      offsetMs: clock.offsetMs(),
      addresses,
      twitch: {
        users: namedUsers(twitch).map(({ id, login, displayName, broadcasterType }) => ({
          id,
          login,
          displayName,
          broadcasterType,
          pictureUrl: addresses.twitch + facePath({ id }),
        })),
        channels: broadcasters(twitch).map((user) => {
          const stream = twitch.streamOf(user.id);
          return {
            broadcasterId: user.id,
            login: user.login,
            live: stream !== undefined,
            title: user.channel.title,
            gameName: user.channel.gameName,
            startedAtMs: stream?.startedAtMs ?? null,
            chatters: twitch.chattersOf(user.id).length,
          };
        }),
      },
      steam: {
        users: steam.users().map((person) => ({
          steamId: person.steamId,
          name: person.name,
          isBot: person.login !== null,
          isConnected: steam.isConnected(person.steamId),
          tradeUrl: steam.tradeUrlOf(person),
          items: person.items.length,
        })),
      },
    }),
  );
}
