// Processes that tests start. Each is bundled: loading its modules one by one takes several times as long, and most of
// these tests are little else than starts.
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const entries = {
  keepsake: 'cli/keepsake.ts',
  healthcheck: 'cli/healthcheck.ts',
  bot: 'bot/main.ts',
  sandbox: 'sandbox/main.ts',
  'race-worker': 'tests/races/race-worker.ts',
  'claiming-process': 'tests/support/claiming-process.ts',
  'killed-upgrade': 'tests/support/killed-upgrade.ts',
  'migration-on-full-disk': 'tests/support/migration-on-full-disk.ts',
  'read-store': 'tests/support/read-store.ts',
  unhandled: 'tests/support/unhandled.ts',
};
/** The files that the bundles are made of. */
const sources = [
  'billing',
  'bot',
  'cli',
  'db',
  'domain',
  'platform',
  'sandbox',
  'tests/races',
  'tests/support',
];
const cache = 'node_modules/.cache/keepsake-processes';
const UNUSED_FOR_MS = 24 * 3_600_000;

/** Many test files run in one process, each with fresh modules. */
const shared = globalThis as { processBundles?: string };

/** The bundle that Node runs as this process. */
export function bundleOf(name: keyof typeof entries): string {
  shared.processBundles ??= findBundles();
  return join(shared.processBundles, `${name}.js`);
}

/** The folder of the bundles of what the sources say now; one that is there is used again. */
function findBundles(): string {
  const folder = join(cache, digestOfSources());
  if (existsSync(folder)) return folder;
  removeUnused();
  const building = `${folder}.${randomUUID()}`;
  buildSync({
    entryPoints: entries,
    outdir: building,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  cpSync('db/migrations', join(building, 'migrations'), { recursive: true });
  cpSync('sandbox/panel/styles', join(building, 'styles'), { recursive: true });
  try {
    renameSync(building, folder);
  } catch (error) {
    // Another process has built the same meanwhile.
    if (!existsSync(folder)) throw error;
    rmSync(building, { recursive: true });
  }
  return folder;
}

function digestOfSources(): string {
  const digest = createHash('sha256');
  for (const source of sources)
    for (const name of (readdirSync(source, { recursive: true }) as string[]).sort()) {
      const file = join(source, name);
      if (statSync(file).isFile()) digest.update(file).update(readFileSync(file));
    }
  return digest.digest('hex').slice(0, 16);
}

/** Bundles of earlier sources; another run may still use those that are new. */
function removeUnused(): void {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    const facts = statSync(folder, { throwIfNoEntry: false });
    if (facts && Date.now() - facts.mtimeMs > UNUSED_FOR_MS) rmSync(folder, { recursive: true, force: true });
  }
}
