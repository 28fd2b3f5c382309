// The web process.
import { setTimeout as delay } from 'node:timers/promises';
import { logger } from '#app/http/logger.server.ts';
import { hasOwnKey } from '#app/services/own-key.server.ts';
import { keyFaults, wordsOf } from '#db/engine/prove-key.ts';
import { OUTDATED } from '#db/engine/store-refused.ts';
import { newestKnownStep } from '#db/migrate.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import { logForeignLines } from '#platform/process-log.ts';
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';
import { readVersion } from '#platform/version.ts';
import { assumeProduction, config } from './config.server.ts';
import { type Entry, loadBuild, startServer } from './server.ts';

/** A database that does not answer delays the end by no more than this. */
const WITHDRAW_MS = 2_000;

try {
  // React reads NODE_ENV when it is first loaded, which happens when the build is imported.
  assumeProduction();
  closeDataFolder(config().dataFolder);
  logForeignLines(logger());
  if (!(await hasOwnKey())) {
    logger().fatal(wordsOf(keyFaults.wrong));
    process.exit(1);
  }
  const build = await loadBuild();
  const entry = build.entry.module as unknown as Entry;
  let stopAll = async () => {};
  const announced = await entry.announceWeb(
    { version: readVersion().version, schema: newestKnownStep() },
    () => {
      logger().fatal(OUTDATED);
      void stopAll().then(() => process.exit(1));
    },
  );
  if (!announced) {
    logger().fatal(OUTDATED);
    process.exit(1);
  }
  const { url, stop } = await startServer(config(), build);
  stopAll = () => stop().then(() => Promise.race([announced.end(), delay(WITHDRAW_MS)]));
  logger().info({ url: url.href, publicUrl: config().publicUrl.href }, 'listening');
  endOnUnhandledErrors(
    (err, event) => logger().fatal({ err, event }, 'an error that nobody handled; ending'),
    () => stopAll(),
  );
  let asked = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = true;
      logger().info({ signal }, 'stopping');
      void stopAll().then(() => process.exit(0));
    });
  }
} catch (error) {
  logger().fatal({ err: error }, 'could not start');
  process.exit(1);
}
