import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import type { Actor } from './actor.ts';
import type { Stage } from './stage.ts';

const hour = 3_600_000;
/** The product's steady clock, its pauses and deadlines pass this many times as fast, as the world's minutes do. */
export const HOST_PACE = 6;
/** Hours by which the host's clock is wrong, until it is right again. */
const wrongHours = [-7, -3, -1, 1, 2, 5, 9];

/** The clock of the product's host: wrong by hours from time to time, while Steam, Twitch and PostgreSQL know better. */
export class HostClock {
  readonly #file: string;
  /** Settings with which a process goes by this clock. */
  readonly settings: Record<string, string>;
  aheadMs = 0;
  /** The furthest that the product's time has ever been ahead. */
  maxAheadMs = 0;

  constructor(folder: string) {
    this.#file = join(folder, 'host-clock');
    const preload = join(folder, 'host-time.mjs');
    const source = readFileSync(join(import.meta.dirname, 'host-time.ts'), 'utf8');
    writeFileSync(preload, transformSync(source, { loader: 'ts', format: 'esm', target: 'node20' }).code);
    this.step(0);
    this.settings = {
      SOAK_HOST_CLOCK: this.#file,
      SOAK_HOST_PACE: String(HOST_PACE),
      NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
    };
  }

  /** Sets the date wrong; pauses that are counted in steady time do not notice. */
  step(aheadMs: number): void {
    this.aheadMs = aheadMs;
    this.maxAheadMs = Math.max(this.maxAheadMs, aheadMs);
    // Renamed, because a process must never read half of it.
    writeFileSync(`${this.#file}.next`, JSON.stringify({ aheadMs }));
    renameSync(`${this.#file}.next`, this.#file);
  }
}

/** Steps the host's clock by hours, forwards and back. */
export function clockSteps({ hostClock, tally, ...stage }: Stage): Actor {
  const chance = stage.chanceOf('host clock');
  return {
    name: 'host clock',
    pauseMs: () => chance.between(4000, 20_000),
    async act() {
      const others = wrongHours.map((hours) => hours * hour).filter((each) => each !== hostClock.aheadMs);
      const isRight = hostClock.aheadMs === 0;
      const nextMs = isRight || chance.is(0.3) ? (chance.pick(others) ?? 0) : 0;
      tally.note(nextMs > hostClock.aheadMs ? 'clock: forwards' : 'clock: back');
      hostClock.step(nextMs);
    },
  };
}
