// The first half of `npm start`: builds if necessary. The second half runs the build in a new process, without this
// one's memory.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { isBuildStale } from './build.ts';

const root = resolve(import.meta.dirname, '..');

if (isBuildStale(root)) {
  console.log('Building …');
  const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) {
    console.error(`The build failed:\n${built.error?.message ?? built.stdout + built.stderr}`);
    process.exitCode = 1;
  }
}
