import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isPostgres } from '#db/dialect.ts';
import { describeFaults, faultOf, readConfiguration } from '#platform/configuration.ts';
import { describeFindings } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/finding.ts';
import { askAgain, askForBots } from './ask-for-bots.ts';
import type { Prompt } from './prompt.ts';
import { lineOf, readSettingsFile, replaceFile, type Settings, writeSettingsFile } from './settings-file.ts';
import { dataStep, type Step, steps } from './steps.ts';
import type { Visit } from './try-bots.ts';

export const initUsage = `Usage: keepsake init [FILE] [--set NAME=VALUE]… [--yes] [--check]

Asks for the settings of an instance, tests each answer, and writes them to FILE (.env), which only you can read.
It can be ended at any time and goes on with what is in FILE. Steam bots are logged on for a moment, beside a Keepsake that
runs, and a chat account can be connected.

  --set NAME=VALUE  gives a value and asks no questions; a secret is given as NAME_FILE=PATH
  --yes             changes a file that exists
  --check           tests what is in FILE, and writes nothing`;

/** Goes on behind the data, in a process that was started for the database named there. Not for operators. */
const AFTER_DATA = '--after-data';

interface Asked {
  file: string;
  given: Settings;
  isSure: boolean;
  onlyChecks: boolean;
  isAfterData: boolean;
}

interface Around {
  /** Addresses of servers, and other values that are not in the file. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Null: nobody can be asked. */
  prompt: Prompt | null;
  print(line: string): void;
  /** Runs `init` with these arguments in a process of its own; returns whether all is right. */
  runAgain(args: readonly string[], database: Record<string, string | undefined>): boolean;
}

/** The state of one run. */
interface Running extends Around {
  visit: Visit;
}

/** Reads the arguments; null if they are wrong. */
function readArguments(args: readonly string[]): Asked | null {
  const asked: Asked = { file: '.env', given: {}, isSure: false, onlyChecks: false, isAfterData: false };
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const [, name, value] = arg === '--set' ? (/^([A-Z]\w*)=(.*)$/s.exec(left.shift() ?? '') ?? []) : [];
    if (name !== undefined && value !== undefined) asked.given[name] = value;
    else if (arg === '--yes') asked.isSure = true;
    else if (arg === '--check') asked.onlyChecks = true;
    else if (arg === AFTER_DATA) asked.isAfterData = true;
    else if (!arg.startsWith('-')) asked.file = arg;
    else return null;
  }
  return { ...asked, file: resolve(asked.file) };
}

const isSet = (settings: Settings, name: string) => Boolean(settings[name] || settings[`${name}_FILE`]);

/**
 * Returns why a name cannot be given with --set: no step asks for it, or it is a secret, which belongs in a
 * file.
 */
function refusalOf(name: string): string | null {
  const find = (wanted: string) =>
    steps.map(({ variables }) => variables[wanted]).find((variable) => variable !== undefined);
  const variable = find(name);
  if (variable) return variable.secret ? `${name} is a secret: give ${name}_FILE.` : null;
  return name.endsWith('_FILE') && find(name.slice(0, -'_FILE'.length))?.secret
    ? null
    : `${name} is not asked for.`;
}

/** Returns the faults in a step's answers, before anybody is asked about them and after. */
async function faultsOf(
  step: Step,
  settings: Settings,
  { environment, visit }: Running,
): Promise<string | null> {
  const missing = step.needed.filter((name) => !isSet(settings, name));
  if (missing.length > 0)
    return describeFaults(missing.map((name) => faultOf(step.variables, name, 'is not set')));
  const whole = { ...environment, ...settings };
  const read = readConfiguration(step.variables, whole);
  if (!read.ok) return describeFaults(read.faults);
  const findings: Finding[] = await step.examine(whole, visit);
  return findings.length === 0 ? null : describeFindings(findings);
}

/** Tests all steps; returns how many are wrong. */
async function testAll(settings: Settings, around: Running): Promise<number> {
  let wrong = 0;
  for (const step of steps) {
    const faults = await faultsOf(step, settings, around);
    if (faults !== null) wrong++;
    around.print(faults === null ? `${step.title}: fine.` : `${step.title}:\n${faults}`);
  }
  return wrong;
}

/** Asks for one variable until the answer fits. Undefined: it stays as it is. Null: nobody answers any more. */
async function askFor(
  name: string,
  { variables }: Step,
  current: string | undefined,
  { prompt, print }: Running,
): Promise<string | null | undefined> {
  const variable = variables[name];
  if (!prompt || !variable) return null;
  const secret = variable.secret === true;
  const known = current === undefined ? '' : ` [${secret ? 'as it is' : current}]`;
  for (;;) {
    print(variable.about);
    const answer = await prompt.ask(`${name}${known}: `, { secret });
    if (answer === null) return null;
    if (answer === '') return undefined;
    const problem =
      variable.check.safeParse(answer).error?.issues[0]?.message ??
      (lineOf(name, answer) === null ? 'cannot be written to a settings file: use a file of its own' : null);
    if (problem === null) return answer;
    print(describeFaults([faultOf(variables, name, problem)]));
  }
}

const botsFileBeside = (file: string) => join(dirname(file), 'steam-bots.json');

/**
 * Asks for the bots, and writes them beside the settings. A file that is there may hold the only copy of their secrets:
 * it is used, and changed only where that is wanted.
 */
async function askForBotsFile(file: string, { prompt, print }: Running): Promise<string | null | undefined> {
  if (!prompt) return null;
  const path = botsFileBeside(file);
  const wanted = existsSync(path)
    ? await prompt.ask(
        `${path} is there. Replace it? (yes, the name of a bot to answer for that one again, or Enter to use it): `,
      )
    : 'yes';
  if (wanted === null) return null;
  if (wanted !== '') {
    const bots = await (wanted === 'yes'
      ? askForBots(prompt, print)
      : askAgain(path, wanted, { prompt, print }));
    if (bots === null) return null;
    if (bots.length === 0) return undefined;
    replaceFile(path, `${JSON.stringify(bots, null, 2)}\n`);
  }
  // Written at once, so that a person who leaves now is not asked for the bots again.
  writeSettingsFile(file, { STEAM_BOTS_FILE: path });
  return path;
}

/** Returns the value that Enter takes from the environment, which the file would not have otherwise. */
function findInEnvironment(name: string, { environment }: Running): string | undefined {
  const value = environment[name];
  return value && lineOf(name, value) !== null ? value : undefined;
}

/** A step's answers. Null: nobody answers any more. */
async function askStep(
  step: Step,
  { file, settings }: { file: string; settings: Settings },
  around: Running,
): Promise<Settings | null> {
  const answers: Settings = {};
  for (const name of Object.keys(step.variables)) {
    if (settings[`${name}_FILE`]) continue;
    const current = settings[name];
    const answer =
      name === 'STEAM_BOTS_FILE' && (current === undefined || current === botsFileBeside(file))
        ? await askForBotsFile(file, around)
        : await askFor(name, step, current ?? around.environment[name], around);
    if (answer === null) return null;
    const adopted = answer ?? (current === undefined ? findInEnvironment(name, around) : undefined);
    if (adopted !== undefined) answers[name] = adopted;
  }
  return answers;
}

/**
 * Asks a step until it is right, or until its answers shall stay as they are, which adds it to `unfinished`. False: nobody
 * answers any more.
 */
async function completeStep(
  step: Step,
  { file, settings, unfinished }: { file: string; settings: Settings; unfinished: string[] },
  around: Running,
): Promise<boolean> {
  around.print(['', `== ${step.title}`, ...step.about].join('\n'));
  const given: Settings = {};
  for (;;) {
    const answers = await askStep(step, { file, settings }, around);
    if (answers === null) return false;
    Object.assign(settings, answers);
    Object.assign(given, answers);
    const faults = await faultsOf(step, settings, around);
    around.print(faults ?? 'Fine.');
    const keeps =
      faults === null ? '' : await around.prompt?.ask('Keep it all the same? (yes, or Enter to ask again): ');
    if (keeps == null) return false;
    if (faults !== null && keeps !== 'yes') continue;
    if (faults !== null) unfinished.push(step.title);
    if (Object.keys(given).length > 0) writeSettingsFile(file, given);
    if (faults !== null || !step.follow || !around.prompt) return true;
    return step.follow({ ...around.environment, ...settings }, { ...around, prompt: around.prompt });
  }
}

/** Returns the environment for a process for the database of these settings; null if this process is one. */
function databaseOfAnother(settings: Settings): Record<string, string | undefined> | null {
  const { DATABASE_URL, DATABASE_URL_FILE } = settings;
  // A process decides at its start which database it uses.
  return !isPostgres && (DATABASE_URL || DATABASE_URL_FILE) ? { DATABASE_URL, DATABASE_URL_FILE } : null;
}

async function askAll({ file, isAfterData }: Asked, settings: Settings, around: Running): Promise<boolean> {
  const left = isAfterData ? steps.slice(steps.indexOf(dataStep) + 1) : steps;
  const unfinished: string[] = [];
  for (const step of left) {
    if (!(await completeStep(step, { file, settings, unfinished }, around))) {
      around.print(`Stopped. Run init again to go on with what is in ${file}.`);
      return false;
    }
    const another = step === dataStep ? databaseOfAnother(settings) : null;
    if (another) return around.runAgain([file, '--yes', AFTER_DATA], another) && unfinished.length === 0;
  }
  around.print(`\n${outcomeOf(file, unfinished)}`);
  return unfinished.length === 0;
}

function outcomeOf(file: string, unfinished: readonly string[]): string {
  // A process that npm starts reads `.env` in the working folder by itself.
  const isRead = file === resolve('.env');
  const doctor = isRead ? 'npm run keepsake -- doctor' : `node --env-file=${file} build/keepsake.js doctor`;
  if (unfinished.length > 0)
    return `${file} is written. To be corrected: ${unfinished.join(', ')}. See what is left:\n  ${doctor}`;
  const start = isRead ? 'npm start' : `node --env-file=${file} build/start.js`;
  return `${file} is complete. Next:\n  ${start}\n  ${doctor}`;
}

const running = (around: Around): Running => ({
  ...around,
  visit: {
    print: around.print,
    left: around.prompt?.left ?? new AbortController().signal,
    soundBots: new Set(),
    tokens: new Map(),
  },
});

/**
 * `keepsake init`: asks for everything an instance needs, tests each answer as doctor does, and writes the
 * settings file after each step. Changes an existing file only after a yes. Returns whether everything is
 * right.
 */
export async function runInit(args: readonly string[], given: Around): Promise<boolean> {
  const around = running(given);
  const asked = readArguments(args);
  if (!asked) {
    around.print(initUsage);
    return false;
  }
  const stored = readSettingsFile(asked.file);
  const settings = { ...stored, ...asked.given };
  const asks = around.prompt !== null && Object.keys(asked.given).length === 0;
  const another = asks && !asked.onlyChecks ? null : databaseOfAnother(settings);
  if (another) return around.runAgain(args, another);
  if (asked.onlyChecks) return (await testAll(settings, around)) === 0;
  if (stored !== null && !asked.isSure) {
    const answer = asks ? await around.prompt?.ask(`${asked.file} exists. Change it? (yes or no): `) : 'no';
    if (answer !== 'yes') {
      around.print(`${asked.file} stays as it is${asks ? '' : ': give --yes to change it'}.`);
      return false;
    }
  }
  if (asks) return askAll(asked, settings, around);
  const refused: string[] = Object.keys(asked.given).flatMap((name) => refusalOf(name) ?? []);
  for (const problem of refused) around.print(problem);
  if (refused.length > 0) {
    around.print('Nothing was written.');
    return false;
  }
  const unwritable = Object.entries(asked.given).filter(([name, value]) => lineOf(name, value) === null);
  for (const [name] of unwritable)
    around.print(`${name} cannot be written to a settings file: use ${name}_FILE.`);
  if (unwritable.length > 0 || (await testAll(settings, around)) > 0) {
    around.print('Nothing was written.');
    return false;
  }
  writeSettingsFile(asked.file, asked.given);
  around.print(`${asked.file} is complete.`);
  return true;
}
