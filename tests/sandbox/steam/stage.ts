import { randomBytes } from 'node:crypto';
import { afterEach } from 'vitest';
import { startSteam } from '#sandbox/steam/server.ts';
import type { ItemKind, SteamLogin } from '#sandbox/steam/state.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { RealClient } from './real-client.ts';

/** vitest.config.ts creates the certificates here before the workers start. */
const certificateDirectory = 'node_modules/.cache/keepsake-test-ca';
const daySeconds = 86_400;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export function kind(name: string, more: Partial<ItemKind> = {}): ItemKind {
  return {
    appid: 730,
    classid: '111',
    instanceid: '188530139',
    currency: 0,
    background_color: '',
    icon_url: `icon-${name}`,
    descriptions: [{ type: 'html', value: 'Exterior: <i>Field-Tested</i>' }],
    tradable: 1,
    name,
    name_color: 'D2D2D2',
    type: 'Classified Rifle',
    market_name: name,
    market_hash_name: name,
    commodity: 0,
    market_tradable_restriction: 7,
    marketable: 1,
    tags: [],
    ...more,
  };
}

export const redline = kind('AK-47 | Redline');
export const coin = kind('Demo Coin', { classid: '222', tradable: 0 });
export const hat = kind('Demo Hat', { appid: 440, classid: '333', instanceid: '11040547' });

export function demoLogin(accountName: string): SteamLogin {
  const secret = () => randomBytes(20).toString('base64');
  return { accountName, password: 'demo password', sharedSecret: secret(), identitySecret: secret() };
}

/** A small world with a clock that only tests advance: one bot, a streamer and a viewer. */
export function createWorld() {
  const clock = { offsetMs: 0 };
  const world = new SteamWorld({ now: () => Date.now() + clock.offsetMs });
  for (const known of [redline, coin, hat]) world.describe(known);
  const login = demoLogin('demo_bot');
  const bot = world.addUser({ name: 'Demo bot', login, protectionAcknowledged: true });
  const streamer = world.addUser({ name: 'Demo streamer' });
  const viewer = world.addUser({ name: 'Demo viewer' });
  const passDays = (days: number) => {
    clock.offsetMs += days * daySeconds * 1000;
  };
  return { world, bot, login, streamer, viewer, passDays };
}

/** The same world, served on free ports until the test ends. */
export async function serveWorld() {
  const stage = createWorld();
  const log: string[] = [];
  const steam = await startSteam({
    world: stage.world,
    directory: certificateDirectory,
    proxyPort: 0,
    httpPort: 0,
    log: (line) => log.push(line),
  });
  open.push(() => steam.close());
  return { ...stage, steam, log };
}

/** A served world whose bot is logged on with the real packages. */
export async function logOnBot() {
  const stage = await serveWorld();
  const client = connect(stage.steam.proxyUrl);
  await client.logOn({ refreshToken: issueToken(stage.world.state, stage.bot, 'refresh') });
  return { ...stage, client };
}

/** The real packages, closed when the test ends. */
export function connect(proxyUrl: string) {
  const client = new RealClient(proxyUrl);
  open.push(() => client.close());
  return client;
}
