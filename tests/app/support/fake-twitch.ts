import { afterAll } from 'vitest';
import { startTwitch } from '#sandbox/twitch/server.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';

/** A fake Twitch for the tests of one file, and the variables that point the web process at it. */
export async function startFakeTwitch() {
  const world = new TwitchWorld({ now: () => Date.now() });
  const application = { clientId: 'demo-client', clientSecret: 'demo-secret' };
  const twitch = await startTwitch({ world, port: 0, ...application });
  afterAll(() => twitch.close());
  const environment = {
    TWITCH_CLIENT_ID: application.clientId,
    TWITCH_CLIENT_SECRET: application.clientSecret,
    TWITCH_AUTH_URL: `${twitch.url}/auth`,
    TWURPLE_MOCK_API_PORT: String(twitch.port),
  };
  return { world, url: twitch.url, environment };
}
