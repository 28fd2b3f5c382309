// Runs everything on one machine under one supervisor: `npm start`, or `node build/start.js`. Without TWITCH_*,
// STEAM_* and STRIPE_* settings it starts the sandbox with demo users.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDatabase } from '#db/database.ts';
import { wordsOf } from '#db/engine/prove-key.ts';
import { whyNotOpened } from '#db/engine/store-refused.ts';
import { migrateDatabase } from '#db/migrate.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { type BotAway, recordBotAway } from '#platform/bot-away.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import { bareHost, trialUrl } from '#platform/listen-address.ts';
import { backupFolderOf, findBotSecret } from '#platform/shared-variables.ts';
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';
import { hostOfWeb } from '#platform/web-variables.ts';
import { scheduleBackups } from './backup/schedule-backups.ts';
import {
  claimForDemo,
  findDemoInStore,
  findInstanceInStore,
  findPublicDemo,
  releaseFromDemo,
} from './demo/claim-store.ts';
import { Demo } from './demo/demo.ts';
import { createLog } from './log.ts';
import { untilStarted } from './prepare-store.ts';
import { bringsOwnWorld, findMovedStore, openOrMakeVault, readStartSettings, storeOf } from './settings.ts';
import {
  type Addresses,
  listAddressFaults,
  listFolderObstacles,
  listSettingsFaults,
  listWarnings,
  type StartSettings,
  urlsOf,
} from './start/examine-start.ts';
import { holdFolder } from './start/hold-folder.ts';
import { Supervisor } from './supervisor.ts';

type Environment = Record<string, string | undefined>;

const watching = process.argv.includes('--watch');
const isPatient = process.argv.includes('--wait');
const root = resolve(import.meta.dirname, '..');
const log = createLog('supervisor', process.env.LOG_LEVEL);
const supervisor = new Supervisor({ root, watching, log });
supervisor.endOnSignals();
endOnUnhandledErrors(
  (err, event) => log.fatal({ err, event }, 'an error that nobody handled; ending'),
  () => supervisor.end(1),
);

const prepared = await prepare().catch((error: unknown) => {
  const why = whyNotOpened(error);
  if (why !== null) console.error(why);
  else if (!supervisor.isEnding) console.error((error as Error).message);
  return null;
});
if (!prepared) await supervisor.end(1);
else
  await start(prepared.given, prepared.vault).catch((err: Error) => {
    const why = whyNotOpened(err);
    // An expected reason needs no stack.
    if (!supervisor.isEnding)
      log.fatal(why === null ? { err } : {}, `the start failed: ${why ?? err.message}`);
    return supervisor.end(1);
  });

/** Returns null and prints one line for each reason why this start must not go on. */
async function prepare(): Promise<{ given: StartSettings; vault: Vault } | null> {
  const read = readStartSettings(process.env);
  const faults = listSettingsFaults(process.env);
  if (!read.ok) return refuseStart(faults);
  const given = read.values;
  const obstacles = listFolderObstacles(given);
  if (obstacles.length > 0) return refuseStart([...obstacles, ...faults]);
  // A service is started when its machine is, and the database's may be later.
  if (isPatient && faults.length === 0)
    await untilStarted(given, (line) => log.warn(line), { isOver: () => supervisor.isEnding });
  const taken = await takeStore(given);
  if (!taken.ok) return refuseStart([taken.why, ...faults]);
  if (faults.length > 0) return refuseStart(faults);
  const unusable = await listAddressFaults(addressesOf(given));
  if (unusable.length > 0) return refuseStart(unusable);
  for (const { name, ...warning } of listWarnings(given, process.env, bringsOwnWorld(process.env)))
    log.warn({ finding: name }, wordsOf(warning));
  return { given, vault: taken.vault };
}

function refuseStart(lines: readonly string[]): null {
  if (!supervisor.isEnding) console.error(lines.join('\n'));
  return null;
}

/**
 * Holds the data folder and finds the key, before web and bot open their vaults, because they make a key if there is
 * none.
 */
async function takeStore(given: StartSettings): ReturnType<typeof openOrMakeVault> {
  const moved = findMovedStore(given);
  if (moved) return { ok: false, why: moved };
  mkdirSync(given.KEEPSAKE_DATA_DIR, { recursive: true, mode: 0o700 });
  const running = await holdFolder(given.KEEPSAKE_DATA_DIR);
  if (running) return { ok: false, why: wordsOf(running) };
  const refusal = await claimStore(given);
  return refusal ? { ok: false, why: refusal } : openOrMakeVault(given);
}

/** While developing, vite listens on loopback. */
function addressesOf(given: StartSettings): Addresses {
  return {
    web: { host: watching ? undefined : hostOfWeb(process.env), port: given.PORT },
    bot: { host: bareHost(forBot(process.env).HOST || '127.0.0.1'), port: given.BOT_PORT },
  };
}

/** Keeps the demo and a real instance out of each other's store. Returns why this start must not use it. */
async function claimStore(given: StartSettings): Promise<string | null> {
  const isDemo = bringsOwnWorld(process.env);
  if (isDemo) supervisor.requireSandbox();
  const refusal = isDemo
    ? (findPublicDemo(process.env.PUBLIC_URL) ?? (await findInstanceInStore(given)))
    : await findDemoInStore(given);
  if (refusal) return wordsOf(refusal);
  if (isDemo) claimForDemo(given);
  else releaseFromDemo(given);
  return null;
}

async function start(given: StartSettings, vault: Vault): Promise<void> {
  const dataFolder = resolve(given.KEEPSAKE_DATA_DIR);
  const settings = { ...given, KEEPSAKE_DATA_DIR: dataFolder };
  const { web: webUrl, bot: botUrl } = urlsOf(addressesOf(given));
  const productUrl = process.env.PUBLIC_URL || trialUrl(settings.PORT);
  const isOwnWorld = bringsOwnWorld(process.env);
  const environment: Environment = {
    ...process.env,
    KEEPSAKE_DATA_DIR: dataFolder,
    PRODUCT_URL: productUrl,
    BOT_URL: process.env.BOT_URL || botUrl,
  };
  closeDataFolder(dataFolder);
  const world = isOwnWorld ? await supervisor.startSandbox(join(dataFolder, 'sandbox'), environment) : null;
  // The demo does not log every request.
  Object.assign(environment, world?.environment, world && { LOG_LEVEL: environment.LOG_LEVEL || 'warn' });
  await migrateDatabase(storeOf(settings), vault);
  const demo =
    world &&
    Demo.open({
      dataFolder,
      db: await openDatabase(storeOf(settings), vault),
      panelUrl: world.panelUrl,
      environment,
    });
  await demo?.settlePeople(vault);
  Object.assign(environment, await demo?.setUpPlans(productUrl));
  supervisor.start('web', webCommand(settings.PORT), environment);
  if (demo) {
    // Waits before the bot starts, which would fetch events that no webhook has brought yet, and report them
    // as lost.
    await supervisor.untilHealthy('web', `${webUrl}/healthz`);
    await demo.sellPlans(productUrl);
  }
  const isBotUp = startBot(`${botUrl}/healthz`, forBot(environment), dataFolder);
  await supervisor.untilHealthy('web', `${webUrl}/healthz`);
  if (!demo) supervisor.restartFromNowOn();
  const isWhole = await isBotUp;
  const bot = { url: botUrl, secret: findBotSecret(settings) ?? '' };
  if (demo) {
    await supervisor.untilHealthy('bot', `${botUrl}/readyz`, { 'X-Bot-Secret': bot.secret });
    supervisor.restartFromNowOn();
  }
  if (!demo && settings.BACKUP_COUNT > 0)
    scheduleBackups(backupFolderOf(settings), log, (command, limitMs) =>
      supervisor.run('keepsake', environment, [command], limitMs),
    );
  await demo?.makePast(bot);
  if (demo) console.log(await demo.describe({ product: productUrl, panel: world.panelUrl }));
  else log.info(`Keepsake is open at ${productUrl}${isWhole ? '' : ', without its bot'}`);
  await demo?.close();
}

/**
 * Starts the bot, without which web goes on: pages say why it is away and when it is started again. Returns whether it
 * answers.
 */
function startBot(healthUrl: string, environment: Environment, dataFolder: string): Promise<boolean> {
  const report = (away: BotAway | null) => {
    try {
      recordBotAway(dataFolder, away);
    } catch (err) {
      log.warn({ err }, 'could not tell the web process how the bot is');
    }
  };
  const reportBack = async () => {
    if (await supervisor.untilBack('bot', healthUrl)) report(null);
  };
  supervisor.spare('bot', {
    ended({ failures, pauseMs, reason }) {
      const endedAtMs = Date.now();
      report({ failures, endedAtMs, nextStartAtMs: endedAtMs + pauseMs, reason });
    },
    startedAgain: () => void reportBack(),
  });
  report(null);
  supervisor.start('bot', 'bot', environment);
  return supervisor.untilHealthy('bot', healthUrl).then(
    () => true,
    () => false,
  );
}

/** Web reaches the bot through loopback, so HOST applies only to web unless BOT_URL points elsewhere. */
function forBot(environment: Environment): Environment {
  return process.env.BOT_URL ? environment : { ...environment, HOST: '127.0.0.1' };
}

function webCommand(port: number) {
  return watching
    ? { program: 'node_modules/.bin/react-router', args: ['dev', '--port', String(port)] }
    : 'web';
}
