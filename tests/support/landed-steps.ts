import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrationsFolder } from '#db/migrate.ts';

type Dialect = keyof typeof migrationsFolder;

const journalOf = (dialect: Dialect) =>
  JSON.parse(readFileSync(join(migrationsFolder[dialect], 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[];
  };

/** The names of the landed steps, from the first. */
export const landedSteps = (dialect: Dialect): string[] => journalOf(dialect).entries.map(({ tag }) => tag);

/** A folder with the landed steps before this one, until the test ends. */
export const stepsBefore = (dialect: Dialect, step: string): string =>
  makeFolder(dialect, journalOf(dialect).entries.slice(0, landedSteps(dialect).indexOf(step)));

/** A folder with all landed steps and these, until the test ends. */
export function stepsWith(dialect: Dialect, ...texts: readonly string[]): string {
  const { entries } = journalOf(dialect);
  const last = Math.max(...entries.map(({ when }) => when));
  const added = texts.map((_, place) => ({
    idx: entries.length + place,
    version: '7',
    when: last + 1 + place,
    tag: `9${place}_added`,
    breakpoints: true,
  }));
  const folder = makeFolder(dialect, [...entries, ...added]);
  for (const [place, text] of texts.entries()) writeFileSync(join(folder, `9${place}_added.sql`), text);
  return folder;
}

function makeFolder(dialect: Dialect, entries: readonly { tag: string }[]): string {
  const [from, to] = [migrationsFolder[dialect], mkdtempSync(join(tmpdir(), 'keepsake-steps-'))];
  onTestFinished(() => rmSync(to, { recursive: true, force: true }));
  mkdirSync(join(to, 'meta'));
  writeFileSync(join(to, 'meta/_journal.json'), JSON.stringify({ ...journalOf(dialect), entries }));
  for (const tag of landedSteps(dialect).filter((each) => entries.some((entry) => entry.tag === each)))
    copyFileSync(join(from, `${tag}.sql`), join(to, `${tag}.sql`));
  return to;
}
