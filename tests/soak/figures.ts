import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SmallDisk } from './small-disk.ts';
import type { Stage } from './stage.ts';
import type { Visits } from './visitors.ts';

const MIB = 2 ** 20;
/** Node's measurement of the loop's delay contains the interval at which it is taken. */
const SAMPLED_EVERY_MS = 200;
const DEADLINE_MS = 20_000;

export interface ProcessFigures {
  residentMib: number;
  heapMib: number;
  /** Open files and sockets. */
  handles: number;
  lagP99Ms: number;
  lagMaxMs: number;
}

export interface Minute {
  minute: number;
  isFull: boolean;
  freeMib: number;
  databaseMib: number;
  web: ProcessFigures | null;
  bot: ProcessFigures | null;
  pages: Record<string, number>;
  slowestPageMs: number;
  openStreams: number;
  events: number;
  claims: number;
}

/** Measures web and bot once a minute, and writes all that was measured into a file each time. */
export class Figures {
  readonly minutes: Minute[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async take(
    stage: Stage,
    { disk, visits, metricsToken }: { disk: SmallDisk; visits: Visits; metricsToken: string },
  ): Promise<Minute> {
    const minute: Minute = {
      minute: this.minutes.length + 1,
      isFull: disk.isFull,
      freeMib: Math.round(disk.freeBytes / MIB),
      databaseMib: Math.round(sizeOfStore(disk.folder) / MIB),
      web: await figuresOf(stage, 'web', metricsToken),
      bot: await figuresOf(stage, 'bot', metricsToken),
      pages: Object.fromEntries(visits.pages),
      slowestPageMs: Math.round(visits.slowestMs),
      openStreams: visits.openStreams,
      events: visits.events,
      claims: stage.claimed.size,
    };
    visits.slowestMs = 0;
    this.minutes.push(minute);
    this.write();
    return minute;
  }

  write(more: object = {}): void {
    writeFileSync(this.#file, JSON.stringify({ minutes: this.minutes, ...more }, null, 1));
  }
}

const sizeOfStore = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => name.startsWith('keepsake.db'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

/** Null while a process is being started, or does not answer. */
async function figuresOf(
  { processes, webUrl }: Stage,
  name: 'web' | 'bot',
  token: string,
): Promise<ProcessFigures | null> {
  try {
    const pid = processes.pidOf(name);
    const answer = await fetch(new URL(name === 'bot' ? '/metrics?of=bot' : '/metrics', webUrl), {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await answer.text();
    const measured = (what: string) =>
      Number(new RegExp(`^${what} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    const lagMs = (what: string) =>
      Math.max(0, Math.round(measured(`nodejs_eventloop_lag_${what}_seconds`) * 1000 - SAMPLED_EVERY_MS));
    return {
      residentMib: Math.round(measured('process_resident_memory_bytes') / MIB),
      heapMib: Math.round(measured('nodejs_heap_size_used_bytes') / MIB),
      handles: readdirSync(`/proc/${pid}/fd`).length,
      lagP99Ms: lagMs('p99'),
      lagMaxMs: lagMs('max'),
    };
  } catch {
    return null;
  }
}
