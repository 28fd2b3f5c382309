import { execFileSync } from 'node:child_process';

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

/** Sources, and the test files that try their mutants: each mutant meets those of their tests that run over it. */
const scopes: { sources: RegExp; tests: RegExp }[] = [
  { sources: /^domain\//, tests: /^tests\/domain\// },
  { sources: /^bot\/steam\//, tests: /^tests\/bot\/steam\// },
];

/** What would take seconds for each mutant: a model of everything, statistics of many draws, processes that are killed. */
const tooSlow = /invariants|property|verifier|pick-candidate|draw-rewards|restart/;

/** The sources among the repository's files that are, or are in, one of the paths. */
export const sourcesIn = (paths: string[]): string[] =>
  git('ls-files', '--', ...paths).filter((file) => scopes.some(({ sources }) => sources.test(file)));

/** The sources that differ from main; where they are main itself, from the commit before. */
export function changedSources(): string[] {
  const [base] = git('merge-base', 'main', 'HEAD');
  const [head] = git('rev-parse', 'HEAD');
  const from = base && base !== head ? base : 'HEAD~';
  const changed = git('diff', '--name-only', '--diff-filter=d', from);
  return changed.length > 0 ? sourcesIn(changed) : [];
}

/** One run for each scope that has some of the sources. */
export function runsOf(sources: string[]): { sources: string[]; tests: string[] }[] {
  const tests = git('ls-files', 'tests/*.test.ts').filter((file) => !tooSlow.test(file));
  const scopeOf = (file: string) => scopes.find((scope) => scope.sources.test(file));
  return scopes
    .map((scope) => ({
      sources: sources.filter((file) => scopeOf(file) === scope),
      tests: tests.filter((file) => scope.tests.test(file)),
    }))
    .filter((run) => run.sources.length > 0);
}
