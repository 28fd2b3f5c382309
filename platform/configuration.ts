import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

/** A configuration fault, described for the operator. */
export type ConfigurationFault = { variable: string; problem: string; example: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A variable's purpose (in Markdown), its check and an example. A secret may also be given as `NAME_FILE`, the path of
 * a file that contains it. A public instance needs those marked so.
 */
interface Variable {
  about: string;
  check: z.ZodType;
  example: string;
  secret?: true;
  needed?: true;
}

/** A process's variables by name. */
export type ConfigurationPlan = Readonly<Record<string, Variable>>;
export type ConfigurationValues<Plan extends ConfigurationPlan> = z.output<
  z.ZodObject<{ -readonly [Name in keyof Plan]: Plan[Name]['check'] }>
>;

export type ConfigurationOutcome<Values> =
  | { ok: true; values: Values }
  | { ok: false; faults: ConfigurationFault[] };

/**
 * Checks a process's variables against its plan. An empty variable counts as unset, as in most compose files; a value
 * together with its `NAME_FILE` is a fault, because one of them would be ignored.
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

/** A fault of one variable, with its example. */
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

/** Formats one line per fault: the variable, the problem and an example, which may be the words of what to set. */
export function describeFaults(faults: readonly ConfigurationFault[]): string {
  return faults
    .map(({ variable, problem, example }) => `${variable} ${problem}. ${remedyIn(example)}`)
    .join('\n');
}

function remedyIn(example: string): string {
  const [, name, words] = /^(\w+)=((?:what|the|an?) .+)$/s.exec(example) ?? [];
  return words === undefined ? `Example: ${example}` : `Set ${name} to ${words}.`;
}

/**
 * Secrets as configured, or from the data folder, where those are made that are missing. If the folder cannot be used,
 * that is a fault of each variable that needs it.
 */
export function readSecrets<Name extends string>(
  plan: ConfigurationPlan,
  given: { KEEPSAKE_DATA_DIR: string } & { [Each in NoInfer<Name>]?: string | undefined },
  files: Readonly<Record<Name, string>>,
): ConfigurationOutcome<Record<Name, string>> {
  const faults: ConfigurationFault[] = [];
  const values = {} as Record<Name, string>;
  for (const [variable, file] of Object.entries(files) as [Name, string][]) {
    try {
      values[variable] = given[variable] ?? readOrCreateSecret(given.KEEPSAKE_DATA_DIR, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const problem = `is not set, and the data folder ${given.KEEPSAKE_DATA_DIR} cannot be written (${code})`;
      faults.push(faultOf(plan, variable, problem));
    }
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, values };
}

/**
 * Reads a secret from the data folder, creating it on the first start. Web and bot may start at the same time, so the
 * file is written under a temporary name and linked into place; the first link wins.
 */
export function readOrCreateSecret(dataFolder: string, name: string): string {
  const folder = join(dataFolder, 'secrets');
  const path = join(folder, name);
  const found = findSecret(dataFolder, name);
  if (found !== null) return found;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, randomBytes(32).toString('hex'), { mode: 0o600 });
  try {
    placeUnlessThere(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}

/** Fails with EEXIST if there is a file. Some file systems know no links: there it is copied, which another may see half done. */
function placeUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** A secret in the data folder, or null. */
export const findSecret = (dataFolder: string, name: string): string | null =>
  readIfThere(join(dataFolder, 'secrets', name));

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
