import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

/** One thing that is wrong with the configuration, in words for the person who runs the process. */
export type ConfigurationFault = { variable: string; problem: string; example: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** One variable: how it is checked, and an example. A secret may also be given as `NAME_FILE`, a path to a file that holds it. */
interface Variable {
  check: z.ZodType;
  example: string;
  secret?: true;
}

/** The variables of one process, by their names. */
export type ConfigurationPlan = Readonly<Record<string, Variable>>;
export type ConfigurationValues<Plan extends ConfigurationPlan> = z.output<
  z.ZodObject<{ -readonly [Name in keyof Plan]: Plan[Name]['check'] }>
>;

export type ConfigurationOutcome<Values> =
  | { ok: true; values: Values }
  | { ok: false; faults: ConfigurationFault[] };

/**
 * Checks the variables of one process against its plan. An empty variable counts as unset, as in most
 * compose files; a value and its `NAME_FILE` together are a fault, because one of them would be ignored.
 */
export function readConfiguration<Plan extends ConfigurationPlan>(
  plan: Plan,
  environment: Environment,
): ConfigurationOutcome<ConfigurationValues<Plan>> {
  const faults: ConfigurationFault[] = [];
  const values: Record<string, unknown> = {};
  for (const [variable, { check, secret }] of Object.entries(plan)) {
    let given = environment[variable] || undefined;
    const path = secret && environment[`${variable}_FILE`];
    if (path) {
      const read = secretFromFile(variable, path, given !== undefined);
      if ('problem' in read) {
        faults.push(read);
        continue;
      }
      given = read.value;
    }
    const parsed = check.safeParse(given);
    values[variable] = parsed.data;
    const problem = given === undefined ? 'is not set' : parsed.error?.issues[0]?.message;
    if (!parsed.success && problem) faults.push(faultOf(plan, variable, problem));
  }
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, values: values as ConfigurationValues<Plan> };
}

/** What is wrong with a variable of the plan, with its example. */
export const faultOf = (plan: ConfigurationPlan, variable: string, problem: string): ConfigurationFault => ({
  variable,
  problem,
  example: `${variable}=${plan[variable]?.example ?? ''}`,
});

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
export function readOrCreateSecret(dataFolder: string, name: string): string {
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
