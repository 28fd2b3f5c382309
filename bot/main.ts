import { join } from 'node:path';
import { watchChanges } from '#bot/changes.ts';
import { loadBotConfiguration } from '#bot/config.ts';
import type { BotDeps } from '#bot/deps.ts';
import { createLog } from '#bot/log.ts';
import { databaseWaits } from '#bot/metrics.ts';
import { build } from '#bot/server.ts';
import { startSteam, steamPace } from '#bot/steam/start-steam.ts';
import { startTwitch } from '#bot/twitch/start-twitch.ts';
import { watchDisk } from '#bot/watch-disk.ts';
import { startAnswerWatch } from '#bot/workers/start-answer-watch.ts';
import { startBilling } from '#bot/workers/start-billing.ts';
import { startHousekeeping } from '#bot/workers/start-housekeeping.ts';
import { openDatabase } from '#db/database.ts';
import { measureWaits } from '#db/engine/measured-waits.ts';
import { isKeyOfDatabase, keyFaults, wordsOf } from '#db/engine/prove-key.ts';
import { workLimits } from '#db/engine/time-limits.ts';
import { availableHost } from '#platform/available-host.ts';
import { openClock } from '#platform/clock.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import { logForeignLines } from '#platform/process-log.ts';
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';
import { createVault } from '#platform/vault.ts';

/** Work still running after this is released when its lease expires. */
const STOP_TIMEOUT_MS = 10_000;

const config = loadBotConfiguration();
const log = createLog(config.logLevel);
logForeignLines(log);
closeDataFolder(config.dataFolder);
const vault = createVault(Buffer.from(config.encryptionKey, 'hex').toString('base64'));
const opened = await openDatabase(
  { databaseUrl: config.databaseUrl ?? undefined, file: join(config.dataFolder, 'keepsake.db') },
  vault,
  workLimits,
);
const isOwnKey = await isKeyOfDatabase(opened, vault).catch((err: unknown) => {
  log.warn({ err }, 'could not compare the encryption key with the database');
  return true;
});
if (!isOwnKey) {
  log.fatal(wordsOf(keyFaults.wrong));
  process.exit(1);
}
const db = measureWaits(opened, (seconds) => databaseWaits.observe(seconds));
const clock = await openClock(config.clockUrl?.href);
const changes = watchChanges({ db, clock, log });
const deps: BotDeps = { config, db, clock, changes, vault, log };

const twitch = await startTwitch(deps);
const steam = startSteam(deps, steamPace, twitch.readStanding);
const workers = [startHousekeeping(deps), startBilling(deps), startAnswerWatch(deps)];
const parts = [steam, twitch, ...workers, watchDisk(deps)];
const server = build({ config, clock, db, log, steam, twitch, parts });
let stopping: Promise<void> | null = null;
function stop(signal: string): Promise<void> {
  stopping ??= stopAll(signal);
  return stopping;
}
async function stopAll(signal: string) {
  log.info({ signal }, 'stopping the bot');
  setTimeout(() => {
    log.error('shutdown timed out; exiting');
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
  await server.close();
  await Promise.all(parts.map((part) => part.stop()));
  changes.stop();
  clock.stop();
  await db.close();
  log.info('the bot has stopped');
}
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => void stop(signal).then(() => process.exit(0)));
endOnUnhandledErrors(
  (err, event) => log.fatal({ err, event }, 'an error that nobody handled; ending'),
  () => stop('error'),
);

const address = await server.listen({ host: await availableHost(config.host), port: config.port });
log.info({ address }, 'the bot is listening');
