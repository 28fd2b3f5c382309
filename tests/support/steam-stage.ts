import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import { watchChanges } from '#bot/changes.ts';
import type { BotConfiguration } from '#bot/config.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import { remoteServices } from '#bot/steam/limiters.ts';
import { type SteamPace, type SteamPart, startSteam } from '#bot/steam/start-steam.ts';
import { openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { bots } from '#db/schema/bot.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import type { Clock } from '#platform/clock.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { startSteam as serveSteam } from '#sandbox/steam/server.ts';
import type { ItemKind, SteamItem, SteamLogin, SteamPerson } from '#sandbox/steam/state.ts';
import type { Hold } from '#sandbox/steam/steam-site.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { testKey as encryptionKey, makeSqliteFile, testVault } from '#tests/support/database.ts';
import { addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';

export const demoKind = (facts: Pick<ItemKind, 'appid' | 'classid' | 'name'>): ItemKind => ({
  instanceid: '11040547',
  currency: 0,
  background_color: '',
  icon_url: `icon-${facts.classid}`,
  descriptions: [],
  tradable: 1,
  name_color: 'D2D2D2',
  type: 'Classified Rifle',
  market_name: facts.name,
  market_hash_name: facts.name,
  commodity: 0,
  market_tradable_restriction: 7,
  marketable: 1,
  tags: [
    {
      category: 'Type',
      internal_name: 'Demo_Type_Rifle',
      localized_category_name: 'Type',
      localized_tag_name: 'Rifle',
    },
    {
      category: 'Rarity',
      internal_name: 'Demo_Rarity_Classified',
      localized_category_name: 'Quality',
      localized_tag_name: 'Classified',
      color: 'd32ce6',
    },
  ],
  ...facts,
});
/** A kind, and how many pieces of it are given as one asset. */
export type StackedKind = ItemKind & { pieces?: number };
/** A game with Trade Protection, and one without. */
export const rifle: StackedKind = demoKind({ appid: 730, classid: '111', name: 'Demo Rifle | Redline' });
export const hat = demoKind({ appid: 440, classid: '333', name: 'Demo Hat' });

export const gems: StackedKind = {
  ...demoKind({ appid: 753, classid: '667924416', name: 'Demo Gems' }),
  pieces: 500,
};

const none = { gapMs: 0, burst: 1, maxWaitMs: 60_000 };
/** As fast as possible; only the subjects of tests take time. */
export const hurriedPace: SteamPace = {
  heartbeatMs: 200,
  refusalPauseMs: 20,
  services: Object.fromEntries(remoteServices.map((service) => [service, none])) as SteamPace['services'],
  transfers: {
    pollMs: 1000,
    restingPollMs: 1000,
    queueMs: 50,
    followMs: 300,
    absenceMs: 150,
    interruptedMs: 150,
    confirmMs: 50,
    confirmTogetherMs: 0,
    confirmRetryMs: 20,
    unseenMs: 60_000,
    cancelRetryMs: 50,
    settleMs: 100,
    reconcileMs: 400,
    selfTestMs: 60_000,
    profileMs: 60_000,
    arrivalMs: 300,
    arrivalRetryMs: 50,
    reversalMs: 2000,
    doubtMs: 2000,
    refusals: {
      limited: { firstMs: 1500, longestMs: 60_000 },
      busy: { firstMs: 500, longestMs: 60_000 },
      renamed: { firstMs: 1500, longestMs: 60_000 },
      unclear: { firstMs: 500, longestMs: 60_000, forgiven: 2 },
    },
    unanswered: { firstMs: 50, longestMs: 500 },
  },
};

const certificateDirectory = 'node_modules/.cache/keepsake-test-ca';

/** Waits until the function returns a value. */
export async function until<T>(
  ask: () => T | Promise<T>,
  what = 'something',
  deadlineMs = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const endMs = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > endMs) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Watcher = { hold: Hold; onChange(): void };
export type SteamStage = Awaited<ReturnType<typeof setSteamStage>>;

/** The secret that web and bot share on every stage. */
export const botSecret = 'a secret between web and bot in tests';

/**
 * The sandbox's Steam with a bot's account, and a migrated database with a streamer and a viewer linked to it. They
 * share one clock, which only tests advance, unless Steam's is ahead.
 */
export async function setSteamStage({ steamAheadMs = 0 } = {}) {
  const offset = { ms: 0, driftMs: steamAheadMs };
  const clock: Clock = { now: () => Date.now() + offset.ms, stop: () => {} };
  const world = new SteamWorld({
    now: () => clock.now() + offset.driftMs,
    systemNow: () => Date.now() + offset.driftMs,
    onChange: () => watcher.onChange(),
  });
  const watcher: Watcher = { onChange: () => {}, hold: () => undefined };
  for (const known of [rifle, hat, gems]) world.describe(known);
  const secret = () => randomBytes(20).toString('base64');
  const login: SteamLogin = {
    accountName: 'demo_bot',
    password: 'demo password',
    sharedSecret: secret(),
    identitySecret: secret(),
  };
  const bot = world.addUser({ name: 'Demo bot', login });
  const steam = await serveSteam({
    world,
    directory: certificateDirectory,
    proxyPort: 0,
    httpPort: 0,
    hold: (...request) => watcher.hold(...request),
  });
  const { file, folder } = await makeSqliteFile();
  const db = await openSqlite(file);
  onTestFinished(async () => {
    await steam.close();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  // A stage that ends still reads while the next begins: they share a key.
  sealColumnsWith(testVault);
  const streamer = await joinWorld(world, await addStreamer(db), 'Demo streamer');
  const viewer = await joinWorld(world, await addPerson(db), 'Demo viewer');
  const credentials: SteamCredentials = {
    name: 'bot-1',
    refreshToken: issueToken(world.state, bot, 'refresh'),
    identitySecret: login.identitySecret,
  };
  const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent');
  const changes = watchChanges({ db, clock, log }, { pollMs: 20, restMs: 20, restAfterMs: 0 });
  onTestFinished(() => changes.stop());
  const deps = (given: readonly SteamCredentials[] = [credentials]): LeasedDeps => ({
    config: configurationOf({ bots: [...given], httpProxy: steam.proxyUrl, folder, encryptionKey }),
    db,
    clock,
    changes,
    vault: testVault,
    log,
    version: '1.2.3',
    lease: heldLease(db),
  });
  return {
    world,
    watcher,
    steam,
    bot,
    login,
    credentials,
    encryptionKey,
    db,
    folder,
    clock,
    deps,
    streamer,
    viewer,
    /** Lets Steam's clock go on faster than ours, by so much in all. */
    driftSteam(ms: number) {
      offset.driftMs = ms;
    },
    passDays(days: number) {
      offset.ms += days * day;
    },
  };
}

export async function joinWorld(world: SteamWorld, person: Person, name: string) {
  // Uses the trade URL that Steam knows.
  const accountId = Number(BigInt(person.steamId) - 76561197960265728n);
  const steam: SteamPerson = world.addUser({ name, accountId, tradeToken: 'tokenABC' });
  return { ...person, steam };
}

function configurationOf(given: {
  bots: SteamCredentials[];
  httpProxy: string;
  folder: string;
  encryptionKey: string;
}): BotConfiguration {
  return {
    watchedAtOnce: 3,
    roles: new Set(['steam', 'twitch', 'housekeeping'] as const),
    port: 0,
    host: '127.0.0.1',
    botUrl: new URL('http://bot:3001'),
    secret: botSecret,
    publicUrl: new URL('http://localhost:3000'),
    dataFolder: given.folder,
    databaseUrl: null,
    backupFolder: join(given.folder, 'backups'),
    encryptionKey: given.encryptionKey,
    billing: null,
    operatorEmail: null,
    twitch: {
      clientId: null,
      clientSecret: null,
      botLogins: [],
      ignoredLogins: [],
      authUrl: new URL('http://localhost/'),
      ircUrl: null,
      mockApiPort: null,
    },
    steam: { bots: given.bots, httpProxy: given.httpProxy },
    pushServiceUrl: null,
    mail: { smtpUrl: null, from: 'Keepsake <no-reply@example.org>' },
    imageUrl: new URL('http://127.0.0.1:1/images/'),
    clockUrl: null,
    metricsToken: null,
    logLevel: 'silent',
  };
}

/** Starts the bot in this process and waits until it is ready. */
export async function startBot(
  stage: SteamStage,
  pace = hurriedPace,
  operatorEmail: string | null = null,
): Promise<SteamPart> {
  const deps = stage.deps();
  const part = startSteam({ ...deps, config: { ...deps.config, operatorEmail } }, pace);
  onTestFinished(() => part.stop());
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  return part;
}

export const assetOf = (item: SteamItem, kind: ItemKind) => ({
  appId: item.appid,
  contextId: item.contextid,
  assetId: item.assetid,
  classId: item.classid,
  instanceId: item.instanceid,
  marketHashName: kind.market_hash_name,
  name: kind.name,
  amount: Number(item.amount),
  iconUrl: kind.icon_url,
  typeLine: kind.type,
  typeTag: '',
  rarityTag: '',
  rarityColor: '',
  exterior: '',
});

/** Gives the streamer an item on Steam and requests its deposit. */
export async function askForDeposit(stage: SteamStage, kind: StackedKind = rifle) {
  const item = stage.world.give(stage.streamer.steamId, kind);
  const requestId = newId(stage.clock.now());
  const asked = await requestDeposit(
    stage.db,
    { requestId, userId: stage.streamer.userId, assets: [assetOf(item, kind)] },
    stage.clock.now(),
    Date.now(),
  );
  if (!asked.ok) throw new Error(`the deposit was refused: ${asked.code}`);
  return { transferId: requestId, item };
}

export async function transferOf(stage: SteamStage, transferId: string) {
  const [transfer] = await stage.db.read.select().from(transfers).where(eq(transfers.id, transferId));
  if (!transfer) throw new Error(`no transfer ${transferId}`);
  return transfer;
}

export async function transferIn(stage: SteamStage, transferId: string, ...states: string[]) {
  let last = '';
  try {
    return await until(async () => {
      const transfer = await transferOf(stage, transferId);
      last = `${transfer.state} ${transfer.lastError ?? ''}`;
      return states.includes(transfer.state) ? transfer : null;
    }, states.join(' or '));
  } catch {
    throw new Error(`the transfer is ${last}, not ${states.join(' or ')}`);
  }
}

export async function itemsOf(stage: SteamStage) {
  return stage.db.read.select().from(items);
}

export async function rewardOf(stage: SteamStage, rewardId: string) {
  const [reward] = await stage.db.read.select().from(rewards).where(eq(rewards.id, rewardId));
  if (!reward) throw new Error(`no reward ${rewardId}`);
  return reward;
}

export const botRow = async (stage: SteamStage) => {
  const [row] = await stage.db.read.select().from(bots);
  if (!row) throw new Error('no bot was seen');
  return row;
};

export const wantedAssets = (stage: SteamStage, transferId: string) =>
  stage.db.read.select().from(transferItems).where(eq(transferItems.transferId, transferId));

export const ledgerOf = (stage: SteamStage, itemId: string) =>
  stage.db.read
    .select({ from: ledgerEntries.fromHolder, to: ledgerEntries.toHolder })
    .from(ledgerEntries)
    .where(eq(ledgerEntries.itemId, itemId))
    .orderBy(ledgerEntries.id);
