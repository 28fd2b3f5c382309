import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

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

/** Builds the web app unless the build that is there is younger than everything it is made of. */
export async function buildWhenStale(root: string): Promise<void> {
  const made = join(root, 'build/server/index.js');
  const madeAtMs = existsSync(made) ? statSync(made).mtimeMs : 0;
  if (sources.every((source) => newestIn(join(root, source)) < madeAtMs)) return;
  console.log('Building the web app …');
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' });
  if (build.status === 0) return;
  throw new Error(`the build failed:\n${build.stdout}\n${build.stderr}`);
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const facts = statSync(path);
  if (!facts.isDirectory()) return facts.mtimeMs;
  const inside = readdirSync(path).map((name) => newestIn(join(path, name)));
  return Math.max(0, ...inside);
}
