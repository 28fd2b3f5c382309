// The web process.
import { logger } from '#app/http/logger.server.ts';
import { hasOwnKey } from '#app/services/own-key.server.ts';
import { keyFaults, wordsOf } from '#db/engine/prove-key.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import { logForeignLines } from '#platform/process-log.ts';
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';
import { assumeProduction, config } from './config.server.ts';
import { loadBuild, startServer } from './server.ts';

try {
  // React reads NODE_ENV when it is first loaded, which happens when the build is imported.
  assumeProduction();
  closeDataFolder(config().dataFolder);
  logForeignLines(logger());
  if (!(await hasOwnKey())) {
    logger().fatal(wordsOf(keyFaults.wrong));
    process.exit(1);
  }
  const { url, stop } = await startServer(config(), await loadBuild());
  logger().info({ url: url.href, publicUrl: config().publicUrl.href }, 'listening');
  endOnUnhandledErrors(
    (err, event) => logger().fatal({ err, event }, 'an error that nobody handled; ending'),
    stop,
  );
  let asked = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = true;
      logger().info({ signal }, 'stopping');
      void stop().then(() => process.exit(0));
    });
  }
} catch (error) {
  logger().fatal({ err: error }, 'could not start');
  process.exit(1);
}
