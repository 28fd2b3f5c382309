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
export function stepsBefore(dialect: Dialect, step: string): string {
  const [from, to] = [migrationsFolder[dialect], mkdtempSync(join(tmpdir(), 'keepsake-steps-'))];
  onTestFinished(() => rmSync(to, { recursive: true, force: true }));
  const journal = journalOf(dialect);
  const entries = journal.entries.slice(0, landedSteps(dialect).indexOf(step));
  mkdirSync(join(to, 'meta'));
  writeFileSync(join(to, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }));
  for (const { tag } of entries) copyFileSync(join(from, `${tag}.sql`), join(to, `${tag}.sql`));
  return to;
}
