import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

/** One thing that is wrong with the configuration, in words for the person who runs the process. */
export type ConfigurationFault = { variable: string; problem: string; example: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything a process needs to know of its variables: how each is checked, and an example of each. */
export type ConfigurationPlan<Schema extends z.ZodObject> = {
  schema: Schema;
  examples: { readonly [Name in keyof z.input<Schema>]-?: string };
  /** Names that may also be given as `NAME_FILE`, a path to a file that holds the value. */
  secrets: readonly (keyof z.input<Schema> & string)[];
};

export type ConfigurationOutcome<Values> =
  | { ok: true; values: Values }
  | { ok: false; faults: ConfigurationFault[] };

/**
 * Checks the variables of one process against its plan. An empty variable counts as unset, as in most
 * compose files; a value and its `NAME_FILE` together are a fault, because one of them would be ignored.
 */
export function readConfiguration<Schema extends z.ZodObject>(
  plan: ConfigurationPlan<Schema>,
  environment: Environment,
): ConfigurationOutcome<z.output<Schema>> {
  const faults: ConfigurationFault[] = [];
  const given: Record<string, string> = {};
  for (const variable of Object.keys(plan.schema.shape)) {
    const value = environment[variable];
    if (value !== undefined && value !== '') given[variable] = value;
  }
  for (const variable of plan.secrets) {
    const path = environment[`${variable}_FILE`];
    if (!path) continue;
    const read = secretFromFile(variable, path, given[variable] !== undefined);
    if ('problem' in read) faults.push(read);
    else given[variable] = read.value;
  }
  const parsed = plan.schema.safeParse(given);
  if (parsed.success && faults.length === 0) return { ok: true, values: parsed.data };
  const known = new Set(faults.map((fault) => fault.variable.replace(/_FILE$/, '')));
  for (const issue of parsed.error?.issues ?? []) {
    const variable = String(issue.path[0] ?? '');
    if (known.has(variable)) continue;
    known.add(variable);
    const problem = given[variable] === undefined ? 'is not set' : issue.message;
    faults.push({ variable, problem, example: exampleOf(plan, variable) });
  }
  return { ok: false, faults };
}

function exampleOf(plan: { examples: Readonly<Record<string, string>> }, variable: string): string {
  return `${variable}=${plan.examples[variable] ?? ''}`;
}

function secretFromFile(
  variable: string,
  path: string,
  alsoGiven: boolean,
): { value: string } | ConfigurationFault {
  const named = `${variable}_FILE`;
  const example = `${named}=/run/secrets/${variable.toLowerCase()}`;
  if (alsoGiven) return { variable: named, problem: `is set, but so is ${variable}; keep one`, example };
  try {
    const value = readFileSync(path, 'utf8').trim();
    return value === '' ? { variable: named, problem: 'names an empty file', example } : { value };
  } catch {
    return { variable: named, problem: `names a file that cannot be read (${path})`, example };
  }
}

/** One line per fault: which variable, what is wrong with it, and an example of a good one. */
export function describeFaults(faults: readonly ConfigurationFault[]): string {
  return faults
    .map(({ variable, problem, example }) => `${variable} ${problem}. Example: ${example}`)
    .join('\n');
}

/**
 * A secret that the data folder keeps: made on the first start, read on every later one. Web and bot may
 * start at the same moment, so the file is written aside and linked into place; the first link wins.
 */
export function keptSecret(dataFolder: string, name: string): string {
  const folder = join(dataFolder, 'secrets');
  const path = join(folder, name);
  const found = readIfThere(path);
  if (found !== null) return found;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, randomBytes(32).toString('hex'), { mode: 0o600 });
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
