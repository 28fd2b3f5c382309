import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
