import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The inputs of the build. */
const sources = [
  'app',
  'billing',
  'bot',
  'cli',
  'db',
  'docs/verify-draws.mjs',
  'domain',
  'platform',
  'public',
  'sandbox',
  'tools',
  'package-lock.json',
  'react-router.config.ts',
  'vite.config.ts',
];

/** Returns whether the build is missing or older than any of its inputs. */
export function isBuildStale(root: string): boolean {
  // The last file `npm run build` writes.
  const made = join(root, 'build/start.js');
  const madeAtMs = existsSync(made) ? statSync(made).mtimeMs : 0;
  return sources.some((source) => newestIn(join(root, source)) >= madeAtMs);
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const facts = statSync(path);
  if (!facts.isDirectory()) return facts.mtimeMs;
  const inside = readdirSync(path).map((name) => newestIn(join(path, name)));
  return Math.max(0, ...inside);
}
