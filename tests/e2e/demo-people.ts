import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Names } from './person.ts';

interface DemoNotes {
  people: { email: string; password: string }[];
}

/** A person of the demo world, by Twitch name: 0 is its streamer, 1 to 12 are its viewers. */
export function demoPerson(place: number): Names {
  const notes = JSON.parse(readFileSync(join(process.env.E2E_DATA ?? '', 'demo.json'), 'utf8')) as DemoNotes;
  const { email = '', password = '' } = notes.people[place] ?? {};
  const login = place === 0 ? 'Demo_Streamer' : `Demo_Viewer_${String(place).padStart(2, '0')}`;
  return { login, email, password };
}

/** One at a time: the account stores the language it was last read in. */
export async function asDemoStreamer<T>(deed: () => Promise<T>): Promise<T> {
  const taken = join(process.env.E2E_DATA ?? '', 'demo-streamer-is-taken');
  // Only one process can create a folder.
  await expect(() => mkdirSync(taken)).toPass({ intervals: [250] });
  try {
    return await deed();
  } finally {
    rmdirSync(taken);
  }
}
