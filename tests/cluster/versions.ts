import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
export const newInstallation = root;

/** The version of this tree’s build under another name: a stand-in where no version before can be built. */
export function relabel(folder: string): string {
  const installation = join(folder, 'version-before');
  mkdirSync(installation);
  cpSync(join(root, 'build'), join(installation, 'build'), { recursive: true });
  const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(join(installation, 'package.json'), JSON.stringify({ ...facts, version: '0.0.1' }));
  symlinkSync(join(root, 'node_modules'), join(installation, 'node_modules'));
  return installation;
}

/** Builds a commit, which has to have the same migrations as this tree, with this tree’s packages. */
export function buildCommit(folder: string, commit: string): string {
  const installation = join(folder, 'version-before');
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (git('diff', '--name-only', commit, '--', 'db/migrations').trim() !== '')
    throw new Error(`${commit} has other migrations: its processes cannot run beside these`);
  mkdirSync(installation);
  const archive = join(folder, 'version-before.tar');
  git('archive', '--output', archive, commit);
  execFileSync('tar', ['-xf', archive, '-C', installation]);
  rmSync(archive);
  symlinkSync(join(root, 'node_modules'), join(installation, 'node_modules'));
  for (const script of ['typegen', 'build'])
    execFileSync('npm', ['run', '--silent', script], { cwd: installation, stdio: 'ignore' });
  return installation;
}
