import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const WITHIN_MS = 120_000;

/** The demo world advances the clock while it is created; the tests start when it is ready. */
export default async function awaitWorld(): Promise<void> {
  const notes = join(process.env.E2E_DATA ?? '', 'demo.json');
  const deadline = Date.now() + WITHIN_MS;
  while (Date.now() < deadline) {
    if (isStocked(notes)) return;
    await delay(250);
  }
  throw new Error('the demo world was not ready in time');
}

function isStocked(file: string): boolean {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { stocked?: boolean }).stocked === true;
  } catch {
    return false;
  }
}
