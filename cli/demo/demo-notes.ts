import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoPerson } from './people.ts';

/** What the demo notes in its data folder. The file marks the store as the demo's from before it is made. */
export interface DemoNotes {
  /** The name of its database; versions before noted none. */
  store?: string;
  people: DemoPerson[];
  stocked: boolean;
}

export const demoNotesFile = (dataFolder: string): string => join(dataFolder, 'demo.json');

/** The notes of the demo in this folder, or null if it holds none. */
export function readDemoNotes(dataFolder: string): DemoNotes | null {
  const file = demoNotesFile(dataFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoNotes) : null;
}

/** Readable by their owner alone: they contain passwords. */
export function writeDemoNotes(dataFolder: string, notes: DemoNotes): void {
  writeFileSync(demoNotesFile(dataFolder), JSON.stringify(notes, null, 2), { mode: 0o600 });
}
