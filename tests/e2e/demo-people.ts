import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Names } from './person.ts';

interface DemoNotes {
  people: { email: string; password: string }[];
}

/** One of the people of the demo world, under their name on Twitch: 0 is its streamer, 1 to 12 are its viewers. */
export function demoPerson(place: number): Names {
  const notes = JSON.parse(readFileSync(join(process.env.E2E_DATA ?? '', 'demo.json'), 'utf8')) as DemoNotes;
  const { email = '', password = '' } = notes.people[place] ?? {};
  const login = place === 0 ? 'Demo_Streamer' : `Demo_Viewer_${String(place).padStart(2, '0')}`;
  return { login, email, password };
}

/** One after the other: the account keeps the language that it was read in last. */
export async function asDemoStreamer<T>(deed: () => Promise<T>): Promise<T> {
  const taken = join(process.env.E2E_DATA ?? '', 'demo-streamer-is-taken');
  // A folder is made by one process only.
  await expect(() => mkdirSync(taken)).toPass({ intervals: [250] });
  try {
    return await deed();
  } finally {
    rmdirSync(taken);
  }
}
