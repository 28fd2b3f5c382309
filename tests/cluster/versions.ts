import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isExpansion } from '#db/engine/expansions.ts';

const root = resolve(import.meta.dirname, '../..');

/** A version that is upgraded, the next one, which only adds to the schema, and one that changes what those rely on. */
export interface Versions {
  before: string;
  after: string;
  beyond: string;
}

const addition = `-- expands
CREATE TABLE "remarks" ("id" text PRIMARY KEY NOT NULL);
--> statement-breakpoint
ALTER TABLE "transfers" ADD COLUMN "remark" text;
--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "remarks" bigint DEFAULT 0 NOT NULL;`;
const change = 'ALTER TABLE "transfers" DROP COLUMN "remark"';

/** Makes them of this tree's build, or takes a commit's as the version before. */
export function makeVersions(folder: string, commit: string | undefined): Versions {
  const after = copyBuild(folder, { version: '7.1.0', steps: [addition] });
  const beyond = copyBuild(folder, { version: '7.2.0', steps: [addition, change] });
  return { before: commit ? buildCommit(folder, commit) : root, after, beyond };
}

/** Copies this tree's build under another version, with further migrations. */
function copyBuild(
  folder: string,
  { version, steps }: { version: string; steps: readonly string[] },
): string {
  const installation = join(folder, `version-${version}`);
  mkdirSync(installation);
  cpSync(join(root, 'build'), join(installation, 'build'), { recursive: true });
  const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(join(installation, 'package.json'), JSON.stringify({ ...facts, version }));
  symlinkSync(join(root, 'node_modules'), join(installation, 'node_modules'));
  const migrations = join(installation, 'build/migrations/postgres');
  const file = join(migrations, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { when: number; idx: number }[] };
  const last = Math.max(...journal.entries.map(({ when }) => when));
  const added = steps.map((text, place) => {
    const tag = `9${place}_of_the_cluster`;
    writeFileSync(join(migrations, `${tag}.sql`), text);
    const idx = journal.entries.length + place;
    return { idx, version: '7', when: last + 1 + place, tag, breakpoints: true };
  });
  writeFileSync(file, JSON.stringify({ ...journal, entries: [...journal.entries, ...added] }));
  return installation;
}

/** Builds a commit with this tree's packages. Its processes have to run beside what was migrated since. */
function buildCommit(folder: string, commit: string): string {
  const installation = join(folder, 'version-before');
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const steps = git('diff', '--name-status', commit, '--', 'db/migrations/postgres/*.sql').trim().split('\n');
  const foreign = steps.filter(Boolean).filter((line) => {
    const [status, file = ''] = line.split('\t');
    return status !== 'A' || !isExpansion({ sql: [readFileSync(join(root, file), 'utf8')] });
  });
  if (foreign.length > 0)
    throw new Error(`The processes of ${commit} cannot run beside these migrations: ${foreign.join(', ')}`);
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

/** Migrates the database as an operator does. Returns what was said if it was refused, or else null. */
export const migrateWith = (installation: string, settings: Record<string, string>): Promise<string | null> =>
  new Promise((done) => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings };
    const given = { cwd: installation, env };
    execFile(process.execPath, ['build/keepsake.js', 'migrate'], given, (error, out, errors) =>
      done(error ? errors.trim() || out.trim() || error.message : null),
    );
  });
