import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Database } from '#db/database.ts';
import { listSelfTests } from '#domain/bot/list-self-tests.ts';
import { listOddAnswers } from '#domain/odd-answer/list-odd-answers.ts';
import { readVersion } from '#platform/version.ts';
import { wordsOfSelfTest } from '../doctor/examine-self-tests.ts';
import type { Finding } from '../doctor/finding.ts';
import { dayOfReport, shapeOf } from '../shapes.ts';
import { compareWithSandbox, type Difference } from './compare.ts';
import { type Notes, readNotes, writeNotes } from './notes.ts';
import { type Journey, readJourney } from './read-journey.ts';
import { type Guidance, type Step, stepsOf } from './steps.ts';

export const firstContactUsage = `Usage: keepsake first-contact [--report FILE] [--restart]

Leads through the way of one cheap item with real accounts of Steam and Twitch: deposit, lock, rule, watching, claim,
delivery and protection. Says what to do now, where, and what it waits for. Run it again at any time, best once a day:
it goes on where it was. Meanwhile it notes how Steam, Twitch and the clocks differ from what the sandbox believes.

  --report FILE  writes what differed so far, without ids and names, to attach to an issue; an existing file is not
                 overwritten. The sandbox replays it as a report of keepsake shapes.
  --restart      begins anew, with the next item that is deposited`;

export interface FirstContactDeps {
  db: Database;
  nowMs: number;
  dataFolder: string;
  publicUrl: URL;
  /** Compares this machine's clock with those of Steam and Twitch. */
  examineClocks(): Promise<Finding[]>;
  print(line: string): void;
}

/** Null: an option that does not exist. */
function readArgs(args: readonly string[]) {
  const options = { report: { type: 'string' }, restart: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return null;
  }
}

/** `keepsake first-contact`: fails only if it cannot go on or the report cannot be written. */
export async function runFirstContact(args: readonly string[], deps: FirstContactDeps): Promise<boolean> {
  const { dataFolder, nowMs, print } = deps;
  const options = readArgs(args);
  if (!options) {
    print(firstContactUsage);
    return false;
  }
  const known = options.restart ? null : readNotes(dataFolder);
  if (known === 'damaged') {
    print('The notes in first-contact.json of the data folder cannot be read. Begin anew with --restart.');
    return false;
  }
  const before = known ?? { beganAtMs: nowMs, steps: {} };
  const journey = await readJourney(deps.db.read, before.beganAtMs);
  const steps = stepsOf(journey, deps);
  const notes = await recordReached(before, steps, deps);
  writeNotes(dataFolder, notes);
  const differences = compareWithSandbox(journey, notes);
  const shapes = await listShapes(deps.db, notes.beganAtMs);
  for (const line of describe(steps, notes, nowMs)) print(line);
  for (const line of describeDifferences(differences, shapes)) print(line);
  return options.report === undefined
    ? true
    : writeReport(options.report, { journey, steps, notes, differences, shapes }, deps);
}

/** Notes the steps that are newly done, with the clocks and the doubts of that time. */
async function recordReached(before: Notes, steps: readonly Step[], deps: FirstContactDeps): Promise<Notes> {
  const added = doneOf(steps).filter(({ name }) => !before.steps[name]);
  if (added.length === 0) return before;
  const tests = await listSelfTests(deps.db.read);
  const reached = {
    atMs: deps.nowMs,
    clocks: (await deps.examineClocks()).map(({ what }) => what),
    doubts: [...new Set(tests.filter(({ difference }) => difference !== null).map(wordsOfSelfTest))],
  };
  const steps_ = Object.fromEntries(added.map(({ name }) => [name, reached]));
  return { ...before, steps: { ...before.steps, ...steps_ } };
}

/** The steps before the first that is not done. */
function doneOf(steps: readonly Step[]): readonly Step[] {
  const next = steps.findIndex(({ isDone }) => !isDone);
  return next === -1 ? steps : steps.slice(0, next);
}

const listShapes = async ({ read }: Database, sinceMs: number) =>
  (await listOddAnswers(read)).filter(({ lastSeenAtMs }) => lastSeenAtMs >= sinceMs);

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function describe(steps: readonly Step[], notes: Notes, nowMs: number): string[] {
  const done = doneOf(steps);
  const current = steps[done.length];
  return [
    `First contact, begun on ${timeOf(notes.beganAtMs)}`,
    ...steps.map(({ name }, place) => {
      const reached = notes.steps[name];
      if (place < done.length) return `  done  ${name}${reached ? ` (seen on ${timeOf(reached.atMs)})` : ''}`;
      return place === done.length ? `  now   ${name}` : `  –     ${name}`;
    }),
    '',
    ...(current?.guidance
      ? describeGuidance(current.guidance, nowMs)
      : ['The item has gone all the way. Write the report with --report FILE, and attach it to an issue.']),
    '',
  ];
}

const describeGuidance = ({ todo, where, waitsFor, untilMs }: Guidance, nowMs: number): string[] => [
  `What to do:  ${todo}`,
  `Where:       ${where}`,
  `Waits for:   ${waitsFor}`,
  ...(untilMs === null ? [] : [`Until:       ${timeOf(untilMs)}${untilMs < nowMs ? ' (over)' : ''}`]),
];

type Shapes = Awaited<ReturnType<typeof listShapes>>;

function describeDifferences(differences: readonly Difference[], shapes: Shapes): string[] {
  if (differences.length + shapes.length === 0) return ['So far everything was as the sandbox believes.'];
  return [
    'Different from what the sandbox believes:',
    ...differences.map(({ step, what }) => `  ${step}: ${what}`),
    ...shapes.map(
      ({ place, path, difference, found, count }) =>
        `  ${place}: ${path || 'the answer'}, ${difference}${found ? ` ${found}` : ''} (${count} times)`,
    ),
  ];
}

interface Found {
  journey: Journey;
  steps: readonly Step[];
  notes: Notes;
  differences: readonly Difference[];
  shapes: Shapes;
}

function writeReport(
  file: string,
  { journey, steps, notes, differences, shapes }: Found,
  deps: FirstContactDeps,
): boolean {
  const hours = (ms: number) => Math.round((ms - notes.beganAtMs) / 360_000) / 10;
  const report = {
    format: 'keepsake-first-contact',
    ...readVersion(),
    beganOn: dayOfReport(notes.beganAtMs),
    writtenOn: dayOfReport(deps.nowMs),
    steps: steps.map(({ name }) => ({ name, seenAfterHours: hoursOf(notes, name, hours) })),
    transfers: { deposit: journey.deposit?.events ?? [], claim: journey.claim?.events ?? [] },
    differences,
    shapes: shapes.map(shapeOf),
  };
  try {
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    deps.print(`The report was not written: ${(error as Error).message}`);
    return false;
  }
  deps.print(`The report was written to ${file}.`);
  return true;
}

function hoursOf({ steps }: Notes, name: Step['name'], hours: (ms: number) => number): number | null {
  const reached = steps[name];
  return reached ? hours(reached.atMs) : null;
}
