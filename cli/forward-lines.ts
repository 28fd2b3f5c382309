import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** pino's level of what ends a process. */
const isFatal = /^\{"level":60/;

interface FatalLine {
  msg?: string;
  err?: { message?: string };
}

/** Passes the log of a process on, line by line, and returns a function that tells the last fatal line in words. */
export function forwardLines(output: Readable, write = (line: string) => process.stdout.write(line)) {
  let last: string | null = null;
  createInterface({ input: output }).on('line', (line) => {
    if (isFatal.test(line)) last = wordsIn(line) ?? last;
    write(`${line}\n`);
  });
  return () => last;
}

function wordsIn(line: string): string | null {
  try {
    const { msg, err } = JSON.parse(line) as FatalLine;
    return [msg, err?.message].filter(Boolean).join(': ') || null;
  } catch {
    return null;
  }
}
