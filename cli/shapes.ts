import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Database } from '#db/database.ts';
import { type ListedOddAnswer, listOddAnswers } from '#domain/odd-answer/list-odd-answers.ts';
import { readVersion } from '#platform/version.ts';

interface ShapesDeps {
  db: Database;
  nowMs: number;
  print(line: string): void;
}

export const shapesUsage = `Usage: keepsake shapes [--out FILE]

Writes how Steam, Twitch and Stripe answered that this version does not know, as a report in JSON to attach to an
issue. It names endpoints, fields, types and constants of the platforms: no ids, names or tokens. In a copy of the
source, the sandbox replays it from sandbox/shapes.

  --out FILE  writes the report there instead of printing it; an existing file is not overwritten`;

/** Null: an option that does not exist. */
function readArgs(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { out: { type: 'string' } } }).values;
  } catch {
    return null;
  }
}

export const dayOfReport = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const exampleOf = (example: string | null): unknown => (example === null ? null : JSON.parse(example));

/** One difference as reports have it: without its row's id, to the day. */
export const shapeOf = ({ id: _, example, firstSeenAtMs, lastSeenAtMs, ...shape }: ListedOddAnswer) => ({
  ...shape,
  example: exampleOf(example),
  firstSeenOn: dayOfReport(firstSeenAtMs),
  lastSeenOn: dayOfReport(lastSeenAtMs),
});

/** `keepsake shapes`: fails only if the report cannot be written. */
export async function runShapes(args: readonly string[], { db, nowMs, print }: ShapesDeps): Promise<boolean> {
  const options = readArgs(args);
  if (!options) {
    print(shapesUsage);
    return false;
  }
  const shapes = (await listOddAnswers(db.read)).map(shapeOf);
  const { version, build } = readVersion();
  const report = { format: 'keepsake-shapes', version, build, writtenOn: dayOfReport(nowMs), shapes };
  const text = JSON.stringify(report, null, 2);
  if (options.out === undefined) {
    print(text);
    return true;
  }
  try {
    writeFileSync(options.out, `${text}\n`, { flag: 'wx' });
  } catch (error) {
    print(`The report was not written: ${(error as Error).message}`);
    return false;
  }
  print(`${shapes.length} ${shapes.length === 1 ? 'difference' : 'differences'} written to ${options.out}.`);
  return true;
}
