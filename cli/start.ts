// Runs everything on one machine under one supervisor: `npm start`, or `node build/start.js`. Without TWITCH_*,
// STEAM_* and STRIPE_* settings it starts the sandbox with demo users.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDatabase } from '#db/database.ts';
import { migrateDatabase } from '#db/migrate.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import { describeFaults } from '#platform/configuration.ts';
import { backupFolderOf, findBotSecret } from '#platform/shared-variables.ts';
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';
import { scheduleBackups } from './backup/schedule-backups.ts';
import { localUrl } from './check-health.ts';
import { checkSettings, oncePerVariable } from './check-settings.ts';
import {
  claimForDemo,
  findDemoInStore,
  findInstanceInStore,
  findPublicDemo,
  releaseFromDemo,
} from './demo/claim-store.ts';
import { Demo } from './demo/demo.ts';
import { createLog } from './log.ts';
import { bringsOwnWorld, findMovedStore, openOrMakeVault, readStartSettings, storeOf } from './settings.ts';
import { Supervisor } from './supervisor.ts';

type Settings = Extract<ReturnType<typeof readStartSettings>, { ok: true }>['values'];

const watching = process.argv.includes('--watch');
const root = resolve(import.meta.dirname, '..');
const log = createLog('supervisor', process.env.LOG_LEVEL);
const supervisor = new Supervisor({ root, watching, log });
supervisor.endOnSignals();
endOnUnhandledErrors(
  (err, event) => log.fatal({ err, event }, 'an error that nobody handled; ending'),
  () => supervisor.end(1),
);

const settings = await readSettings().catch((error: Error) => {
  if (!supervisor.isEnding) console.error(error.message);
  return null;
});
if (!settings) await supervisor.end(1);
else
  await start(settings.given, settings.vault).catch((err: Error) => {
    if (!supervisor.isEnding) log.fatal({ err }, `the start failed: ${err.message}`);
    return supervisor.end(1);
  });

/** Returns null and prints one line per fault if the settings are invalid. */
async function readSettings(): Promise<{ given: Settings; vault: Vault } | null> {
  const read = readStartSettings(process.env);
  const refusal = read.ok ? (findMovedStore(read.values) ?? (await claimStore(read.values))) : null;
  if (refusal) {
    console.error(refusal);
    return null;
  }
  // Done before web and bot open their vaults, because they make a key if there is none.
  const opened = read.ok ? await openOrMakeVault(read.values) : null;
  if (opened?.ok === false) {
    console.error(opened.why);
    return null;
  }
  const own = read.ok ? [] : describeFaults(read.faults).split('\n');
  const faults = oncePerVariable([
    ...own,
    ...(await checkSettings(supervisor, { web: process.env, bot: forBot(process.env) })),
  ]);
  if (read.ok && opened && faults.length === 0) return { given: read.values, vault: opened.vault };
  if (!supervisor.isEnding) console.error(faults.join('\n'));
  return null;
}

/** Keeps the demo and a real instance out of each other's store. Returns why this start must not use it. */
async function claimStore(given: Settings): Promise<string | null> {
  const isDemo = bringsOwnWorld(process.env);
  if (isDemo) supervisor.requireSandbox();
  const refusal = isDemo
    ? (findPublicDemo(process.env.PUBLIC_URL) ?? (await findInstanceInStore(given)))
    : await findDemoInStore(given);
  if (refusal) return `${refusal.what} ${refusal.remedy}`;
  if (isDemo) claimForDemo(given);
  else releaseFromDemo(given);
  return null;
}

async function start(given: Settings, vault: Vault): Promise<void> {
  const dataFolder = resolve(given.KEEPSAKE_DATA_DIR);
  const settings = { ...given, KEEPSAKE_DATA_DIR: dataFolder };
  // While developing, vite listens on loopback.
  const webUrl = localUrl(watching ? undefined : process.env.HOST, settings.PORT);
  const botUrl = localUrl(forBot(process.env).HOST, settings.BOT_PORT);
  const productUrl = process.env.PUBLIC_URL || `http://localhost:${settings.PORT}`;
  const isOwnWorld = bringsOwnWorld(process.env);
  const environment: Record<string, string | undefined> = {
    ...process.env,
    KEEPSAKE_DATA_DIR: dataFolder,
    PRODUCT_URL: productUrl,
    BOT_URL: process.env.BOT_URL || botUrl,
  };
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
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
  supervisor.start('bot', 'bot', forBot(environment));
  await supervisor.untilHealthy('web', `${webUrl}/healthz`);
  await supervisor.untilHealthy('bot', `${botUrl}/healthz`);
  const bot = { url: botUrl, secret: findBotSecret(settings) ?? '' };
  if (demo) await supervisor.untilHealthy('bot', `${botUrl}/readyz`, { 'X-Bot-Secret': bot.secret });
  supervisor.restartFromNowOn();
  if (!demo && settings.BACKUP_COUNT > 0)
    scheduleBackups(backupFolderOf(settings), log, (command, limitMs) =>
      supervisor.run('keepsake', environment, [command], limitMs),
    );
  await demo?.stockItems(bot);
  if (demo) console.log(demo.describe({ product: productUrl, panel: world.panelUrl }));
  else log.info(`Keepsake is open at ${productUrl}`);
  await demo?.close();
}

/** Web reaches the bot through loopback, so HOST applies only to web unless BOT_URL points elsewhere. */
function forBot<T extends Record<string, string | undefined>>(environment: T) {
  return process.env.BOT_URL ? environment : { ...environment, HOST: '127.0.0.1' };
}

function webCommand(port: number) {
  return watching
    ? { program: 'node_modules/.bin/react-router', args: ['dev', '--port', String(port)] }
    : 'web';
}
