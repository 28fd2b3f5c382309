import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import type { Asset } from '#db/schema/asset.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { createVault } from '#platform/vault.ts';
import { dialectParts, shapesOf } from '#sandbox/steam/dialects.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import type { BotApi } from '../../cli/demo/bot-api.ts';
import { DemoPanel } from '../../cli/demo/panel.ts';
import { stock } from '../../cli/demo/stock.ts';
import { ApiClient, type IsOutage } from './api-client.ts';
import { Chance } from './chance.ts';
import { HostClock } from './host-clock.ts';
import { WorldPanel } from './panel.ts';
import { type Around, givenKinds, makePeople, type People, type Person } from './people.ts';
import type { Processes } from './processes.ts';
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
  hostClock: HostClock;
  processes: Processes;
  api: ApiClient;
  /** Aborted when the actors' time is over. */
  over: AbortController;
  /** Ids of the deposits made while the stage was opened. */
  openingTransfers: ReadonlySet<string>;
  /** Each streamer's assets that were never in an offer, by user id. */
  atHome: ReadonlyMap<string, Asset[]>;
  tally: Tally;
  watchTruth: WatchTruth;
  /** Redemptions that a streamer settled by hand: the product may disagree with them. */
  settledByHand: Set<string>;
  /** Rewards whose claim was answered as taken. */
  claimed: Set<string>;
  chanceOf(actor: string): Chance;
}

/** The product's processes: where they are reached and how they are started. */
export interface Layout {
  webUrl: string;
  botUrl: string;
  hostClock: HostClock;
  start(processes: Processes, settings: Record<string, string>): void | Promise<void>;
  isOutage?: IsOutage;
}

async function onOneHost(folder: string): Promise<Layout> {
  const firstPort = await findFreePorts(2);
  const ports = { PORT: String(firstPort), BOT_PORT: String(firstPort + 1) };
  const hostClock = new HostClock(folder);
  return {
    webUrl: `http://localhost:${ports.PORT}`,
    botUrl: `http://127.0.0.1:${ports.BOT_PORT}`,
    hostClock,
    start(processes, settings) {
      for (const name of ['web', 'bot'] as const)
        processes.start(name, { ...settings, ...ports, ...hostClock.settings });
    },
  };
}

/** A passing trouble, and what leaves too few acts in a soak's time: each first sending refused, or a bot stopped. */
const apart: readonly string[] = ['inventory', 'firstSendings', 'renewals'];
/** One shape of each other kind of answer. */
const drawDialect = (chance: Chance): Record<string, string | undefined> =>
  Object.fromEntries(
    dialectParts.filter((part) => !apart.includes(part)).map((part) => [part, chance.pick(shapesOf(part))]),
  );

export const makeFolder = () => mkdtempSync(join(tmpdir(), 'keepsake-soak-'));

/**
 * Creates a world in the folder and starts the product in it, with people and unlocked items. Its data may be in a folder
 * of its own; without a dialect the seed draws one.
 */
export async function openStage(options: {
  folder: string;
  processes: Processes;
  seed: number;
  streamers: number;
  viewers: number;
  dataFolder?: string;
  settings?: Record<string, string>;
  dialect?: Stage['dialect'];
  layout?: Layout;
}): Promise<Stage> {
  const { folder, processes, dataFolder = folder } = options;
  const sandboxFolder = join(folder, 'sandbox');
  const store = storeIn(dataFolder, folder);
  const layout = options.layout ?? (await onOneHost(folder));
  const { webUrl, hostClock } = layout;
  const firstPort = await findFreePorts(8);
  const bot = { url: layout.botUrl, secret: randomBytes(32).toString('hex') };
  const key = randomBytes(32);
  const vault = createVault(key.toString('base64'));
  const settings = {
    ENCRYPTION_KEY: key.toString('hex'),
    KEEPSAKE_DATA_DIR: dataFolder,
    BOT_URL: bot.url,
    BOT_SECRET: bot.secret,
    PRODUCT_URL: webUrl,
    PAID_DRAWS: 'allow',
    LOG_LEVEL: 'info',
    ...store.settings,
    ...options.settings,
  };
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
  await layout.start(processes, { ...settings, ...sandbox.environment });
  await processes.untilHealthy('web', `${webUrl}/healthz`);
  await untilReady(processes, bot);
  await stockItems(around, bot, people);
  const atHome = await readHomes(around, bot, people);
  await panel.advance(8 * 86_400_000);
  const dialect = options.dialect ?? drawDialect(new Chance(options.seed, 'dialect'));
  await panel.act('/trouble/steam/shapes', dialect);
  const opening = await db.read.select({ id: transfers.id }).from(transfers);
  const over = new AbortController();
  return {
    ...people,
    ...around,
    dialect,
    folder,
    store,
    sandboxFolder,
    bot,
    webUrl,
    hostClock,
    processes,
    api: new ApiClient(webUrl, over.signal, layout.isOutage),
    over,
    atHome,
    openingTransfers: new Set(opening.map(({ id }) => id)),
    tally: new Tally(),
    watchTruth: new WatchTruth(panel.countedMs),
    settledByHand: new Set(),
    claimed: new Set(),
    chanceOf: (actor) => new Chance(options.seed, actor),
  };
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
  const stockAll = async ({ userId, steamId }: Person) => {
    for (const [game, kinds] of Object.entries(givenKinds))
      await stock(
        { db, panel, bot },
        { userId, steamId },
        { requestId: newId(Date.now()), appId: Number(game), perKind: 4, kinds, skip: 0 },
      );
  };
  await Promise.all(streamers.map(stockAll));
}

/** Reads what the bot still remembers of the streamers' inventories, without what was stocked. */
async function readHomes({ db }: Around, { url, secret }: BotApi, { streamers }: People) {
  const rows = await db.read.select({ assetId: transferItems.assetId }).from(transferItems);
  const stocked = new Set(rows.map(({ assetId }) => assetId));
  const homes = new Map<string, Asset[]>();
  for (const { userId, steamId } of streamers)
    for (const game of Object.keys(givenKinds)) {
      const response = await fetch(`${url}/inventories/${steamId}/${game}/2?userId=${userId}`, {
        headers: { 'X-Bot-Secret': secret },
      });
      const { items = [] } = (await response.json()) as { items?: (Asset & { tradable: boolean })[] };
      const left = items.filter(({ assetId, tradable }) => tradable && !stocked.has(assetId));
      homes.set(userId, [...(homes.get(userId) ?? []), ...left]);
    }
  return homes;
}
