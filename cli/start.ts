// npm start: everything on one box under one supervisor. Without TWITCH_* and STEAM_* settings it brings a world of its
// own: the sandbox, and people to play with.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrateDatabase } from '#db/migrate.ts';
import { keptSecret } from '#domain/configuration.ts';
import { buildWhenStale } from './build.ts';
import { Demo } from './demo/demo.ts';
import { Supervisor } from './supervisor.ts';

const watching = process.argv.includes('--watch');
const root = resolve(import.meta.dirname, '..');
const isOwnWorld = !Object.keys(process.env).some((name) => /^(TWITCH|STEAM)_/.test(name));
const dataFolder = resolve(process.env.KEEPSAKE_DATA_DIR ?? 'data');
const webPort = process.env.PORT ?? '3000';
const botPort = process.env.BOT_PORT ?? '3001';
const productUrl = process.env.PUBLIC_URL ?? `http://localhost:${webPort}`;
const environment: Record<string, string | undefined> = {
  ...process.env,
  KEEPSAKE_DATA_DIR: dataFolder,
  PRODUCT_URL: productUrl,
};

const supervisor = new Supervisor({ root, watching });
supervisor.endOnSignals();

try {
  if (!watching) await buildWhenStale(root);
  mkdirSync(dataFolder, { recursive: true });
  const world = isOwnWorld ? await supervisor.startSandbox(join(dataFolder, 'sandbox'), environment) : null;
  // Who only wants to look is not shown every request.
  Object.assign(environment, world?.environment, world && { LOG_LEVEL: environment.LOG_LEVEL ?? 'warn' });
  await migrateDatabase({ databaseUrl: environment.DATABASE_URL, file: join(dataFolder, 'keepsake.db') });
  const demo = world && (await Demo.open({ dataFolder, panelUrl: world.panelUrl, environment }));
  await demo?.settlePeople(environment.ENCRYPTION_KEY ?? keptSecret(dataFolder, 'encryption-key'));
  await supervisor.start('web', webCommand(), environment);
  await supervisor.start('bot', { script: 'bot/main.ts' }, environment);
  await supervisor.untilHealthy('web', `http://127.0.0.1:${webPort}/healthz`);
  await supervisor.untilHealthy('bot', `http://127.0.0.1:${botPort}/healthz`);
  await demo?.stockItems(`http://127.0.0.1:${botPort}`);
  console.log(
    demo
      ? demo.describe({ product: productUrl, panel: world.panelUrl })
      : `Keepsake is open at ${productUrl}`,
  );
  await demo?.close();
} catch (error) {
  if (!supervisor.isEnding) console.error(error instanceof Error ? error.message : error);
  await supervisor.end(1);
}

function webCommand() {
  return watching
    ? { program: 'node_modules/.bin/react-router', args: ['dev', '--port', webPort] }
    : { script: 'app/server.ts' };
}
