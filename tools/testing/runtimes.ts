import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Outcome, runSteps, vitestOutcome, vitestRun } from './steps.ts';

/**
 * The newest release of each supported major version; 20 until the date in docs/decisions/011-two-sqlite-drivers.md.
 */
export const runtimes = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' } as const;

/**
 * Tests that may differ from one Node to another: the SQLite driver, processes and signals, files, HTTP, TLS
 * and WebSockets with the real packages.
 */
const sensitive = [
  ...['tests/db/', 'tests/platform/', 'tests/sandbox/steam/', 'tests/sandbox/twitch/', 'tests/sandbox/main'],
  ...[
    'backup',
    'flushed-backup',
    'flushed-migration',
    'full-disk-backup',
    'start',
    'restarts',
    'outdated',
  ].map((name) => `tests/cli/${name}.test.ts`),
  ...['server', 'event-stream', 'graceful-stop', 'request-body', 'configuration', 'bot-secret'].map(
    (name) => `tests/app/${name}.test.ts`,
  ),
  'tests/app/accounts/recovery.test.ts',
  ...['log-on', 'steam-session', 'claim', 'restart'].map((name) => `tests/bot/steam/${name}.test.ts`),
  ...['chat', 'event-sockets'].map((name) => `tests/bot/twitch/${name}.test.ts`),
];
const projects = ['domain-sqlite', 'app', 'bot', 'sandbox', 'project'].map((name) => `--project=${name}`);

interface Runtime {
  version: string;
  /** The environment that makes `npm`, `npx` and node-gyp use this Node and its headers. */
  environment: Record<string, string>;
}

const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'keepsake', 'node');

/**
 * Runs the sensitive tests on this Node version; a version that cannot be installed is reported and counts as
 * failed.
 */
export async function testOnRuntime(version: string): Promise<Outcome> {
  const reports = mkdtempSync(join(tmpdir(), 'keepsake-reports-'));
  const report = join(reports, 'unit.json');
  try {
    const runtime = findRuntime(version);
    const name = `tests on Node ${version}`;
    const run = vitestRun(report, ...projects, ...sensitive);
    // Nothing of a server differs: its tests run on one Node.
    const environment = { ...runtime.environment, TEST_POSTGRES_URL: '' };
    return await runSteps([{ name, run, environment, outcome: vitestOutcome(report) }]);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failures: [`tests on Node ${version}`] };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

/**
 * Returns the folder of this Node version, downloaded from the npm registry (its `node-<platform>-<arch>` packages)
 * and cached outside the checkout. Throws if it cannot be installed.
 */
export function fetchNode(version: string): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(cacheFolder, version);
  const home = join(folder, 'node_modules', name);
  if (!existsSync(join(home, 'bin', 'node'))) {
    mkdirSync(folder, { recursive: true });
    mustSucceed(
      'npm',
      ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`],
      {
        fault: `Node ${version} could not be fetched as ${name}@${version}`,
      },
    );
  }
  return home;
}

/** Returns a Node of this version with a working SQLite driver. Throws if either cannot be installed. */
function findRuntime(version: string): Runtime {
  const home = fetchNode(version);
  const environment = {
    PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH ?? ''}`,
    npm_config_nodedir: home,
  };
  const runtime = { version, environment };
  if (!opensSqlite(runtime)) {
    // The optional driver for Node 20 was compiled for the Node that ran `npm ci`.
    mustSucceed('npm', ['rebuild', 'better-sqlite3-node20'], {
      environment,
      fault: `no SQLite on Node ${version}`,
    });
    if (!opensSqlite(runtime)) throw new Error(`SQLite's driver does not load on Node ${version}`);
  }
  return runtime;
}

const OPENS_SQLITE = `
  const { loadSqliteDriver } = await import('#db/engine/sqlite-driver.ts');
  new (await loadSqliteDriver())(':memory:').close();
  if (process.versions.node !== process.env.EXPECTED_NODE) throw new Error(process.versions.node);`;

const opensSqlite = ({ version, environment }: Runtime) =>
  spawnSync('node', ['--import', 'tsx', '--input-type=module', '--eval', OPENS_SQLITE], {
    env: { ...process.env, ...environment, EXPECTED_NODE: version },
    stdio: 'ignore',
  }).status === 0;

function mustSucceed(
  program: string,
  args: string[],
  { environment, fault }: { environment?: Record<string, string>; fault: string },
): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  if (status !== 0) throw new Error(`${fault}: \`${program} ${args.join(' ')}\` ended with ${status}`);
}
