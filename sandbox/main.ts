import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig, type SandboxConfig } from './config.ts';
import { SandboxError } from './open-worlds.ts';
import { type RunningSandbox, startSandbox } from './sandbox.ts';

/** A supervisor waits no longer than this, so a hanging connection must not delay the exit. */
const stopTimeoutMs = 10_000;

/** Seven consecutive ports, in the order of the documentation. */
function portsFrom(first: number) {
  return {
    panel: first,
    twitch: first + 1,
    steamProxy: first + 2,
    steamHttp: first + 3,
    smtp: first + 4,
    clock: first + 5,
    stripe: first + 6,
  };
}

function fail(line: string): never {
  process.stderr.write(`sandbox: ${line}\n`);
  process.exit(1);
}

function endOnSignal(sandbox: RunningSandbox): void {
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), stopTimeoutMs);
    sandbox.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

async function start(config: SandboxConfig): Promise<void> {
  // Standard output carries one line for the supervisor; logs go to standard error.
  const log = pino({ name: 'sandbox', level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const sandbox = await startSandbox({ ...config, ports: portsFrom(config.portsFrom), log });
  endOnSignal(sandbox);
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
