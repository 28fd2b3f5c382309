import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of this installation, and the first characters of its build's hash; null where it runs from sources. */
export interface Version {
  version: string;
  build: string | null;
}

const HASH_CHARACTERS = 12;

/** The folder of the installation: bundles and sources lie at different depths below it. */
function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('there is no package.json above this program');
  return findRoot(above);
}

/** The bundles, whichever process loads them: a launcher alone is the same in every build. */
const bundlesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !file.startsWith('client'))
    .sort();

/** Reads which version runs. */
export function readVersion(): Version {
  const root = findRoot(import.meta.dirname);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const folder = join(root, 'build');
  if (!existsSync(join(folder, 'keepsake.js'))) return { version, build: null };
  const hash = createHash('sha256');
  for (const file of bundlesIn(folder)) hash.update(file).update(readFileSync(join(folder, file)));
  return { version, build: hash.digest('hex').slice(0, HASH_CHARACTERS) };
}
