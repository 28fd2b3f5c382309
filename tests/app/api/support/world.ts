import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { desc, eq } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import { build } from '#bot/server.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { startTwitch } from '#bot/twitch/start-twitch.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { startTwitch as serveTwitch } from '#sandbox/twitch/server.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';
import { nextNumber } from '#tests/support/fixtures.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';
import { hurriedPace, type SteamStage, setSteamStage, until } from '#tests/support/steam-stage.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';
import { decideElsewhere } from '../../support/decide-elsewhere.ts';
import { setWebEnvironment } from '../../support/web-environment.ts';
import type { App } from './app.ts';

/** The world's clock as a service, as in the demo. */
async function serveClock(stage: SteamStage): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (_, response) => {
    response.end(JSON.stringify({ offsetMs: stage.clock.now() - Date.now() }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const [clientId, clientSecret] = ['demo-client', 'demo-client-word'];

/** The sandbox's Twitch, with the world's clock. */
async function setTwitch({ clock }: SteamStage) {
  const world = new TwitchWorld({ now: clock.now });
  const server = await serveTwitch({ world, port: 0, clientId, clientSecret });
  onTestFinished(() => server.close());
  return { world, url: server.url, port: server.port, authUrl: `${server.url}/auth` };
}

type Twitch = Awaited<ReturnType<typeof setTwitch>>;

/** The bot in this process: the real packages against the sandbox's Twitch and Steam. */
async function serveBot(stage: SteamStage, { authUrl, port }: Twitch): Promise<string> {
  // The stage's people have no valid tokens, and the bot would try to follow their channels.
  await stage.database.transaction(async (tx) => void (await tx.delete(twitchAccounts)));
  const plain = stage.deps();
  const twitchConfig = {
    clientId,
    clientSecret,
    botLogins: [],
    ignoredLogins: [],
    authUrl: new URL(authUrl),
    ircUrl: null,
  };
  const deps = {
    ...plain,
    config: { ...plain.config, twitch: { ...twitchConfig, mockApiPort: port } },
  };
  const twitch = await startTwitch(deps, hurriedTwitchPace);
  onTestFinished(() => twitch.stop());
  const steam = startSteam(deps, hurriedPace, twitch.readStanding);
  onTestFinished(() => steam.stop());
  await until(() => steam.report().steam?.state === 'ready', 'a ready bot');
  const server = build({ ...deps, steam, twitch, parts: [steam, twitch] });
  onTestFinished(() => server.close());
  return server.listen({ port: 0, host: '127.0.0.1' });
}

/** The whole product: database, bot, Twitch and Steam, with the web process configured for them. */
export async function setWorld() {
  const stage = await setSteamStage();
  const twitch = await setTwitch(stage);
  setWebEnvironment({ TWURPLE_MOCK_API_PORT: String(twitch.port) });
  const [clockUrl, botUrl] = await Promise.all([serveClock(stage), serveBot(stage, twitch)]);
  setWebEnvironment({
    KEEPSAKE_DATA_DIR: stage.folder,
    KEEPSAKE_CLOCK_URL: clockUrl,
    BOT_URL: botUrl,
    BOT_SECRET: stage.deps().config.secret,
    ENCRYPTION_KEY: stage.encryptionKey,
    TWITCH_CLIENT_ID: clientId,
    TWITCH_CLIENT_SECRET: clientSecret,
    TWITCH_AUTH_URL: twitch.authUrl,
    TWURPLE_MOCK_API_PORT: String(twitch.port),
    STEAM_OPENID_URL: `${stage.steam.httpUrl}/openid/login`,
  });
  return { ...stage, twitch: twitch.world };
}

export type World = Awaited<ReturnType<typeof setWorld>>;

/** The token in the last mail to an address. */
export async function mailedToken({ database }: World, email: string): Promise<string> {
  const [mail] = await database.read
    .select()
    .from(mails)
    .where(eq(mails.recipient, email))
    .orderBy(desc(mails.id));
  return mail?.values.token ?? '';
}

/**
 * The steps that need a browser: consenting on Twitch and signing in on Steam, with their redirects, and reading the
 * code for the app. Twitch is started through the API, Steam from a page.
 */
export async function linkAccounts(world: World, browser: App, permissions: 'viewer' | 'streamer') {
  // Imported once the world is running: some modules read the configuration when they are loaded.
  const { Reader, wordsOf } = await import('../../support/site.ts');
  const number = nextNumber();
  const person = world.twitch.addUser({ login: `demo_${number}`, broadcasterType: 'affiliate' });
  const steam = world.world.addUser({ name: `Demo ${number}`, accountId: 900_000 + number });

  const begun = await browser.post('/api/v1/register/twitch', { json: { permissions } });
  const pages = new Reader('en', browser.jar());
  const allowed = { decision: 'approve', login: person.login };
  const fromTwitch = await pages.open(await decideElsewhere(begun.body.data.attributes.url, allowed));
  const toSteam = await pages.open('/steam/link');
  const fromSteam = await pages.open(await decideElsewhere(toSteam.path, { steamid: steam.steamId }));
  for (const { path } of [fromTwitch, fromSteam])
    if (!path.startsWith('/profile')) throw new Error(`linking ended at ${path}`);
  const shown = wordsOf((await pages.open('/extension/code', {})).html);
  const [code = ''] = /[A-Z2-9]{4}(?:-[A-Z2-9]{4}){2}/.exec(shown) ?? [];
  return { code, twitchId: person.id, steamId: steam.steamId, tradeLink: world.world.tradeUrlOf(steam) };
}
