import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../init/settings-file.ts';
import type { DemoPerson } from './people.ts';

/** The demo's notes in its data folder. The file marks the store as the demo's from before it is made. */
export interface DemoNotes {
  /** The name of its database; versions before noted none. */
  store?: string;
  /** Its streamer, its viewers, and the owners of the other channels. */
  people: DemoPerson[];
  /** The names of the steps of its past that are done. */
  done?: string[];
  /** The ids of what these steps request, by name: a step that is taken again requests the same. */
  ids?: Record<string, string>;
  /** Times to which these steps move the clock, by name. */
  times?: Record<string, number>;
  /** True once its whole past is made. */
  stocked: boolean;
}

export const demoNotesFile = (dataFolder: string): string => join(dataFolder, 'demo.json');

/**
 * Reads the notes of the demo in this folder; null if there are none, and `damaged` if they are not valid.
 */
export function readDemoNotes(dataFolder: string): DemoNotes | 'damaged' | null {
  const file = demoNotesFile(dataFolder);
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  try {
    const notes = JSON.parse(text) as DemoNotes | null;
    return Array.isArray(notes?.people) ? notes : 'damaged';
  } catch {
    return 'damaged';
  }
}

/** Readable by their owner alone: they contain passwords. In one step, because nothing else knows these. */
export function writeDemoNotes(dataFolder: string, notes: DemoNotes): void {
  replaceFile(demoNotesFile(dataFolder), JSON.stringify(notes, null, 2));
}
