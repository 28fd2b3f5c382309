import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { desc, eq } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import { build } from '#bot/server.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { startTwitch } from '#bot/twitch/start-twitch.ts';
import { startWatching } from '#bot/twitch/start-watching.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { startTwitch as serveTwitch } from '#sandbox/twitch/server.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';
import { nextNumber } from '#tests/support/fixtures.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';
import { everySlot } from '#tests/support/slots.ts';
import { hurriedPace, rifle, type SteamStage, setSteamStage, until } from '#tests/support/steam-stage.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';
import { decideElsewhere } from '../../support/decide-elsewhere.ts';
import { setWebEnvironment, webEnvironment } from '../../support/web-environment.ts';
import { startWeb, stopWeb } from '../../support/web-process.ts';
import type { Stage } from '../client/stage.ts';
import type { Contract } from './contract.ts';
import { HttpDevice } from './device.ts';

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
  await stage.db.transaction(async (tx) => void (await tx.delete(twitchAccounts)));
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
  const watching = startWatching(deps, everySlot(deps.db), hurriedTwitchPace);
  onTestFinished(() => watching.stop());
  const steam = startSteam(deps, hurriedPace, twitch.readStanding);
  onTestFinished(() => steam.stop());
  await until(() => steam.report().steam?.state === 'ready', 'a ready bot');
  const server = build({ ...deps, steam, twitch, parts: [steam, twitch] });
  onTestFinished(() => server.close());
  return server.listen({ port: 0, host: '127.0.0.1' });
}

/** The whole product: database, bot, Twitch and Steam, and a web process of its own. */
export async function setWorld() {
  const stage = await setSteamStage();
  const twitch = await setTwitch(stage);
  setWebEnvironment({ TWURPLE_MOCK_API_PORT: String(twitch.port) });
  const [clockUrl, botUrl, port] = await Promise.all([
    serveClock(stage),
    serveBot(stage, twitch),
    findFreePorts(1),
  ]);
  const origin = `http://localhost:${port}`;
  const web = await startWeb(
    webEnvironment({
      PORT: String(port),
      PUBLIC_URL: origin,
      LOG_LEVEL: 'info',
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
    }),
  );
  onTestFinished(() => stopWeb(web));
  return { ...stage, twitch: twitch.world, origin };
}

type World = Awaited<ReturnType<typeof setWorld>>;

/** The token in the last mail to an address. */
async function mailedToken({ db }: World, email: string): Promise<string> {
  const [mail] = await db.read.select().from(mails).where(eq(mails.recipient, email)).orderBy(desc(mails.id));
  return mail?.values.token ?? '';
}

/** Ends on the profile, or linking has failed. */
async function returnTo(browser: HttpDevice, url: string): Promise<void> {
  const { path } = await browser.open(url);
  if (!path.startsWith('/profile')) throw new Error(`linking ended at ${path}`);
}

async function signInOnSteam({ world }: World, browser: HttpDevice) {
  const number = nextNumber();
  const person = world.addUser({ name: `Demo ${number}`, accountId: 900_000 + number });
  const { path } = await browser.open('/steam/link');
  await returnTo(browser, await decideElsewhere(path, { steamid: person.steamId }));
  return { steamId: person.steamId, tradeLink: world.tradeUrlOf(person) };
}

async function consentOnTwitch({ twitch }: World, browser: HttpDevice, url: string): Promise<string> {
  const person = twitch.addUser({ login: `demo_${nextNumber()}`, broadcasterType: 'affiliate' });
  await returnTo(browser, await decideElsewhere(url, { decision: 'approve', login: person.login }));
  return person.id;
}

async function readAppCode(browser: HttpDevice): Promise<string> {
  const { html } = await browser.open('/extension/code', {});
  const [code = ''] = /\b[A-Z2-9]{4}(?:-[A-Z2-9]{4}){2}\b/.exec(html.replace(/<[^>]*>/g, ' ')) ?? [];
  return code;
}

/** The world for an app whose every answer is held to this contract. */
export function stageFor(world: World, contract: Contract): Stage<HttpDevice> {
  const { world: steam, twitch, clock } = world;
  return {
    origin: world.origin,
    newDevice: () => new HttpDevice(world.origin, contract),
    mailedToken: (email) => mailedToken(world, email),
    consentOnTwitch: (device, url) => consentOnTwitch(world, device, url),
    signInOnSteam: (device) => signInOnSteam(world, device),
    readAppCode,
    giveItem: (steamId) => void steam.give(steamId, rifle),
    acceptOffer(offerId, steamId) {
      if (!steam.accept(offerId ?? '', steamId).ok) throw new Error(`no offer ${offerId} for ${steamId}`);
    },
    messageOf: (offerId) => steam.offer(offerId ?? '')?.message ?? '',
    countItems: (steamId) => steam.inventoryOf(steamId).length,
    // A little longer, so that the days are over.
    follow: (channelId, twitchId, days) =>
      void twitch.follow(channelId, twitchId, clock.now() - days * day - hour),
    passDays: world.passDays,
    // A slow machine must not make an app call too often.
    eventually: (ask, what) =>
      until(async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return ask();
      }, what),
  };
}
