import { onTestFinished, vi } from 'vitest';
import { seedTwitch } from '#sandbox/twitch/seed.ts';
import { startTwitch } from '#sandbox/twitch/server.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';
import type { TwitchUser, WorldState } from '#sandbox/twitch/world-state.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';

export const clientId = 'demo-client';
export const clientSecret = 'demo-client-word';

/** A seeded Twitch on a free port, closed when the test ends. */
export async function startDemo(
  options: { port?: number; saved?: WorldState; redirectUris?: readonly string[] } = {},
) {
  let nowMs = Date.parse('2030-01-02T03:04:05Z');
  const now = () => nowMs;
  const world = options.saved ? TwitchWorld.fromJSON(options.saved, { now }) : new TwitchWorld({ now });
  seedTwitch(world);
  const server = await startTwitch({
    world,
    port: options.port ?? 0,
    clientId,
    clientSecret,
    deviceIntervalSeconds: 1,
    ...(options.redirectUris && { redirectUris: options.redirectUris }),
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(close);
  return {
    world,
    url: server.url,
    port: server.port,
    close,
    streamer: userNamed(world, 'demo_streamer'),
    bot: userNamed(world, 'keepsake_demo_bot'),
    viewer: userNamed(world, 'demo_viewer_01'),
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
}

export function userNamed(world: TwitchWorld, login: string): TwitchUser {
  const user = world.userByLogin(login);
  if (!user) throw new Error(`no demo user ${login}`);
  return user;
}

/** An API client with one user's token, and the token itself. Twurple reads the port when it calls. */
export async function apiFor(
  demo: { port: number; world: TwitchWorld },
  user: { id: string },
  scopes: string[],
) {
  process.env.TWURPLE_MOCK_API_PORT = String(demo.port);
  const { ApiClient } = await import('@twurple/api');
  const { StaticAuthProvider } = await import('@twurple/auth');
  const { accessToken } = demo.world.tokens.issue({ clientId, userId: user.id, scopes });
  const authProvider = new StaticAuthProvider(clientId, accessToken, scopes);
  return { accessToken, api: new ApiClient({ authProvider, logger: { minLevel: 'critical' } }) };
}

export async function seen<T>(read: () => T): Promise<NonNullable<T>> {
  return vi.waitFor(
    () => {
      const value = read();
      if (!value) throw new Error('not seen yet');
      return value;
    },
    { timeout: PATIENCE_MS, interval: 10 },
  );
}
