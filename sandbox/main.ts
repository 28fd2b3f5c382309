import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { readConfig, type SandboxConfig } from './config.ts';
import { SandboxError } from './open-worlds.ts';
import { type RunningSandbox, startSandbox } from './sandbox.ts';

/** A supervisor waits no longer than this, so a hanging connection must not delay the exit. */
const stopTimeoutMs = 10_000;

/** Eight consecutive ports, in the order of the documentation. */
function portsFrom(first: number) {
  return {
    panel: first,
    twitch: first + 1,
    steamProxy: first + 2,
    steamHttp: first + 3,
    smtp: first + 4,
    clock: first + 5,
    stripe: first + 6,
    push: first + 7,
  };
}

function fail(line: string): never {
  process.stderr.write(`sandbox: ${line}\n`);
  process.exit(1);
}

/** Ends in order, once: on a signal, or after an error that nobody handled. */
function endInOrder(sandbox: RunningSandbox, log: Logger): void {
  let isEnding = false;
  const end = (code: number) => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), stopTimeoutMs);
    sandbox.close().then(
      () => process.exit(code),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error) => {
      log.fatal({ err: error, event }, 'an error that nobody handled; ending');
      end(1);
    });
}

async function start(config: SandboxConfig): Promise<void> {
  // Standard output carries one line for the supervisor; logs go to standard error.
  const log = pino(
    { base: { process: 'sandbox' }, level: config.logLevel },
    pino.destination({ dest: 2, sync: true }),
  );
  const sandbox = await startSandbox({ ...config, ports: portsFrom(config.portsFrom), log });
  endInOrder(sandbox, log);
  const environmentFile = join(config.directory, 'product.env.json');
  process.stdout.write(`${JSON.stringify({ ready: true, ...sandbox.urls, environmentFile })}\n`);
}

const outcome = readConfig();
if (!outcome.ok) fail(outcome.faults.join('; '));
try {
  await start(outcome.config);
} catch (error) {
  fail(error instanceof SandboxError ? error.message : String(error));
}
