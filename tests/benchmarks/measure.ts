import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects all garbage, so that no side of a comparison pays for the other's. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** The cost of some work in milliseconds. CPU is the whole process's: all threads and garbage collection. */
export interface Cost {
  cpuMs: number;
  wallMs: number;
}

export async function costOf(work: () => Promise<unknown> | unknown): Promise<Cost> {
  collectGarbage();
  const [cpu, begin] = [process.cpuUsage(), performance.now()];
  await work();
  const wallMs = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000, wallMs };
}

export interface Comparison {
  rounds: number;
  /** Rounds that come before and do not count, until the code is compiled; one when left out. */
  warmUps?: number;
  /** Called before each round, unmeasured. */
  before?: (round: number) => Promise<unknown> | unknown;
  subject: (round: number) => Promise<Cost>;
  reference: (round: number) => Promise<Cost>;
}

/**
 * Measures both sides once per round, in alternating order, so that neither benefits from its position. The ratios are
 * medians over the rounds: anything that slows the machine affects both sides of a round.
 */
export async function compare({ rounds, warmUps = 1, before, subject, reference }: Comparison) {
  const pairs: { subject: Cost; reference: Cost }[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    await before?.(round);
    const sides = round % 2 === 0 ? ([subject, reference] as const) : ([reference, subject] as const);
    const [first, second] = [await sides[0](round), await sides[1](round)];
    if (round < warmUps) continue;
    pairs.push(
      round % 2 === 0 ? { subject: first, reference: second } : { subject: second, reference: first },
    );
  }
  const medianOf = (value: (pair: (typeof pairs)[number]) => number) => rounded(median(pairs.map(value)));
  return {
    ratio: medianOf((pair) => pair.subject.cpuMs / pair.reference.cpuMs),
    wallRatio: medianOf((pair) => pair.subject.wallMs / pair.reference.wallMs),
    cpuMs: medianOf((pair) => pair.subject.cpuMs),
    referenceCpuMs: medianOf((pair) => pair.reference.cpuMs),
    wallMs: medianOf((pair) => pair.subject.wallMs),
    referenceWallMs: medianOf((pair) => pair.reference.wallMs),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - 1] ?? 0, sorted[middle] ?? 0];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));
