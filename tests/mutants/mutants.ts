import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LogLevel, Mutant, MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { NOT_DRAWN, unseen } from './plugins.ts';
import { keyOf } from './sample.ts';

const silent = { debug() {}, info() {}, isDebugEnabled: () => false };

/** All mutants of the sources, without trying them. */
export async function mutantsOf(sources: string[]): Promise<Mutant[]> {
  const files = sources.map((file) => ({
    name: resolve(file),
    mutate: true,
    content: readFileSync(file, 'utf8'),
  }));
  const instrumenter = new Instrumenter(silent as never);
  const options = { plugins: null, excludedMutations: [], ignorers: [unseen], noHeader: true };
  const { mutants } = await instrumenter.instrument(files, options);
  return mutants.filter(({ status }) => status !== 'Ignored');
}

/** Tries the mutants of the sources with the test files; only those that were drawn, if any were. */
export async function tryMutants(
  sources: string[],
  testFiles: string[],
  drawn: Mutant[] | null,
): Promise<MutantResult[]> {
  const stryker = new Stryker({
    mutate: sources,
    testFiles,
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutants.config.ts', related: false },
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner'), import.meta.resolve('./plugins.ts')].map(
      (address) => fileURLToPath(address),
    ),
    ignorers: ['unseen'],
    ...(drawn && { checkers: ['drawn'], drawn: drawn.map(keyOf) }),
    checkerNodeArgs: ['--import', 'tsx'],
    testRunnerNodeArgs: ['--import', 'tsx'],
    warnings: false,
    coverageAnalysis: 'perTest',
    // Trying code that only runs while modules load takes a new process and every test, for each.
    ignoreStatic: true,
    concurrency: 1,
    // On a machine that has much else to do, slow is not yet without end.
    timeoutFactor: 3,
    timeoutMS: 20_000,
    dryRunTimeoutMinutes: 30,
    ignorePatterns: ['/build', '/data'],
    reporters: ['survivors'],
    cleanTempDir: 'always',
    logLevel: 'error' as LogLevel,
  });
  const results = await stryker.runMutationTest();
  return results.filter(({ statusReason }) => statusReason !== NOT_DRAWN).map(countedFromZero);
}

/** A mutant counts its lines and columns from zero, its result from one. */
function countedFromZero(result: MutantResult): MutantResult {
  const { start, end } = result.location;
  const less = ({ line, column }: typeof start) => ({ line: line - 1, column: column - 1 });
  return { ...result, location: { start: less(start), end: less(end) } };
}
