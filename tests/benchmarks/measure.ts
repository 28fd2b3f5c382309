import { performance } from 'node:perf_hooks';

/** How long some work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - 1] ?? 0, sorted[middle] ?? 0];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));
