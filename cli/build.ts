import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Supervisor } from './supervisor.ts';

/** What the build is made of. */
const sources = [
  'app',
  'db',
  'domain',
  'public',
  'package-lock.json',
  'react-router.config.ts',
  'vite.config.ts',
];

/** Whether there is no build that is younger than everything it is made of. */
export function isBuildStale(root: string): boolean {
  const made = join(root, 'build/server/index.js');
  const madeAtMs = existsSync(made) ? statSync(made).mtimeMs : 0;
  return sources.some((source) => newestIn(join(root, source)) >= madeAtMs);
}

/** Builds the web app when that is due. */
export async function buildWhenStale(root: string, supervisor: Supervisor): Promise<void> {
  if (!isBuildStale(root)) return;
  console.log('Building the web app …');
  // The same two steps as in `npm run build`.
  for (const step of [['node_modules/.bin/react-router', 'build'], ['cli/compress-assets.ts']]) {
    const { ok, output } = await supervisor.run('build', step, process.env);
    if (!ok) throw new Error(`the build failed:\n${output}`);
  }
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const facts = statSync(path);
  if (!facts.isDirectory()) return facts.mtimeMs;
  const inside = readdirSync(path).map((name) => newestIn(join(path, name)));
  return Math.max(0, ...inside);
}
