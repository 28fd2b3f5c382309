import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';

/** The same mutant has the same key in every run on the same sources. */
export function keyOf({ fileName, location: { start, end }, mutatorName, replacement }: Mutant): string {
  return [fileName, start.line, start.column, end.line, end.column, mutatorName, replacement].join(':');
}

/** Draws mutants evenly: those whose digests under the seed are the smallest. */
export function draw(mutants: Mutant[], size: number, seed: string): Mutant[] {
  const digest = (mutant: Mutant) =>
    createHash('sha256')
      .update(`${seed}\n${relative(process.cwd(), keyOf(mutant))}`)
      .digest('hex');
  return mutants
    .map((mutant) => ({ mutant, digest: digest(mutant) }))
    .sort((a, b) => (a.digest < b.digest ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

/** Wilson's 95 % interval for a share that was found in a sample. */
export function intervalOf(hits: number, size: number): [low: number, high: number] {
  const z = 1.96;
  const share = hits / size;
  const middle = (share + z ** 2 / (2 * size)) / (1 + z ** 2 / size);
  const half = (z / (1 + z ** 2 / size)) * Math.sqrt((share * (1 - share)) / size + (z / (2 * size)) ** 2);
  return [middle - half, middle + half];
}
