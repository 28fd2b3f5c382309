import { readFileSync } from 'node:fs';

/** Linux counts a process's CPU time in hundredths of a second. */
const TICK_MS = 10;

/** The CPU time of a process so far, user and system, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
