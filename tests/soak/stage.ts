import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { createVault } from '#platform/vault.ts';
import { dialectParts, shapesOf } from '#sandbox/steam/dialects.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { DemoPanel } from '../../cli/demo/panel.ts';
import { type BotApi, stock } from '../../cli/demo/stock.ts';
import { ApiClient } from './api-client.ts';
import { Chance } from './chance.ts';
import { WorldPanel } from './panel.ts';
import { type Around, givenKinds, makePeople, type People } from './people.ts';
import { Processes } from './processes.ts';
import { type SoakStore, storeIn } from './store.ts';
import { Tally } from './tally.ts';
import { WatchTruth } from './watch-truth.ts';

/** Shared by all actors of a soak. */
export interface Stage extends People, Around {
  /** The shapes in which Steam answers. */
  dialect: Record<string, string | undefined>;
  folder: string;
  store: SoakStore;
  sandboxFolder: string;
  bot: BotApi;
  webUrl: string;
  processes: Processes;
  api: ApiClient;
  tally: Tally;
  watchTruth: WatchTruth;
  /** Redemptions that a streamer settled by hand: the product may disagree with them. */
  settledByHand: Set<string>;
  chanceOf(actor: string): Chance;
}

/** One shape of each kind of answer, without the passing trouble of an inventory that cannot be read. */
const drawDialect = (chance: Chance): Record<string, string | undefined> =>
  Object.fromEntries(
    dialectParts.filter((part) => part !== 'inventory').map((part) => [part, chance.pick(shapesOf(part))]),
  );

/** Creates a world in its own folder and starts the product in it, with people and unlocked items. */
export async function openStage(options: {
  seed: number;
  streamers: number;
  viewers: number;
}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-soak-'));
  const sandboxFolder = join(folder, 'sandbox');
  const store = storeIn(folder);
  const firstPort = await findFreePorts(9);
  const [webPort, botPort] = [firstPort + 7, firstPort + 8];
  const bot = { url: `http://127.0.0.1:${botPort}`, secret: randomBytes(32).toString('hex') };
  const webUrl = `http://localhost:${webPort}`;
  const processes = new Processes(folder);
  const key = randomBytes(32);
  const vault = createVault(key.toString('base64'));
  const settings = {
    ENCRYPTION_KEY: key.toString('hex'),
    KEEPSAKE_DATA_DIR: folder,
    PORT: String(webPort),
    BOT_PORT: String(botPort),
    BOT_URL: bot.url,
    BOT_SECRET: bot.secret,
    PRODUCT_URL: webUrl,
    PAID_DRAWS: 'allow',
    LOG_LEVEL: 'info',
    ...store.settings,
  };
  try {
    const sandbox = await startSandbox(processes, sandboxFolder, firstPort, settings);
    await store.migrate();
    sealColumnsWith(vault);
    const db = await store.open();
    const panel = new WorldPanel(sandbox.panelUrl);
    const around: Around = {
      db,
      panel,
      panelUrl: sandbox.panelUrl,
      vault,
      twitch: {
        authUrl: sandbox.environment.TWITCH_AUTH_URL ?? '',
        clientId: sandbox.environment.TWITCH_CLIENT_ID ?? '',
      },
      chatLogin: sandbox.environment.TWITCH_BOT_LOGIN ?? '',
    };
    const people = await makePeople(around, options);
    for (const name of ['web', 'bot'] as const)
      processes.start(name, { ...settings, ...sandbox.environment });
    await processes.untilHealthy('web', `${webUrl}/healthz`);
    await untilReady(processes, bot);
    await stockItems(around, bot, people);
    await panel.advance(8 * 86_400_000);
    const dialect = drawDialect(new Chance(options.seed, 'dialect'));
    await panel.act('/trouble/steam/shapes', dialect);
    return {
      ...people,
      ...around,
      dialect,
      folder,
      store,
      sandboxFolder,
      bot,
      webUrl,
      processes,
      api: new ApiClient(webUrl),
      tally: new Tally(),
      watchTruth: new WatchTruth(panel.countedMs),
      settledByHand: new Set(),
      chanceOf: (actor) => new Chance(options.seed, actor),
    };
  } catch (error) {
    await processes.stopAll();
    throw error;
  }
}

/** Waits until all parts of the bot are ready. */
export const untilReady = (processes: Processes, { url, secret }: BotApi): Promise<void> =>
  processes.untilHealthy('bot', `${url}/readyz`, { 'X-Bot-Secret': secret });

/** The sandbox writes a file with the product's settings. */
export async function startSandbox(
  processes: Processes,
  directory: string,
  firstPort: number,
  settings: Record<string, string>,
): Promise<{ panelUrl: string; environment: Record<string, string> }> {
  const panelUrl = `http://localhost:${firstPort}`;
  processes.start('sandbox', {
    ...settings,
    SANDBOX_DIR: directory,
    SANDBOX_PORTS_FROM: String(firstPort),
    LOG_LEVEL: 'warn',
  });
  await processes.untilHealthy('sandbox', `${panelUrl}/world.json`);
  const file = join(directory, 'product.env.json');
  for (;;) {
    try {
      const environment: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
      return { panelUrl, environment: withoutBilling(environment) };
    } catch {
      await delay(100);
    }
  }
}

/** The soak is about items: on an instance without plans nobody runs into a limit. */
const withoutBilling = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('STRIPE_')));

/** Every streamer deposits most pieces of each kind; the rest is for later. */
async function stockItems({ db, panelUrl }: Around, bot: BotApi, { streamers }: People): Promise<void> {
  const panel = new DemoPanel(panelUrl);
  for (const { userId, steamId } of streamers)
    for (const [game, kinds] of Object.entries(givenKinds))
      await stock(
        { db, panel, bot, streamer: { userId, steamId } },
        { appId: Number(game), perKind: 8, kinds, skip: 0 },
      );
}
