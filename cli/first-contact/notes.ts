import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../init/settings-file.ts';
import { stepNames } from './steps.ts';

const reached = z.object({
  /** Domain time, as all times here: when a run first found the step done. */
  atMs: z.number(),
  /** The clocks that differed then, in words. */
  clocks: z.array(z.string()),
  /** The endpoints of Steam that a self-test doubted then. */
  doubts: z.array(z.string()),
});
const notes = z.object({ beganAtMs: z.number(), steps: z.partialRecord(z.enum(stepNames), reached) });

/** The command's notes in the data folder, so that it goes on where it was. Items and offers are in the database. */
export type Notes = z.output<typeof notes>;

const fileIn = (dataFolder: string): string => join(dataFolder, 'first-contact.json');

/** Reads the notes; null if there are none, and `damaged` if they are not valid. */
export function readNotes(dataFolder: string): Notes | 'damaged' | null {
  const file = fileIn(dataFolder);
  if (!existsSync(file)) return null;
  try {
    return notes.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return 'damaged';
  }
}

export const writeNotes = (dataFolder: string, written: Notes): void =>
  replaceFile(fileIn(dataFolder), JSON.stringify(written, null, 2));
