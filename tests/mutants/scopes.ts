import { execFileSync } from 'node:child_process';

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

interface Scope {
  sources: RegExp;
  /** The tests that try their mutants: each mutant meets those that run over it. */
  tests: RegExp;
  /** Tests of other rooms, for mutants that those do not notice. */
  others?: RegExp;
}

const scopes: Scope[] = [
  {
    sources: /^domain\//,
    tests: /^tests\/domain\//,
    others: /^tests\/(domain|billing|bot\/(mail|twitch)|app\/(loop|accounts|settings|history))\//,
  },
  { sources: /^bot\/steam\//, tests: /^tests\/bot\/steam\// },
];

/** Tests that would take seconds for each mutant: a model of everything, statistics of many draws. */
const slow = /invariants|property|verifier|pick-candidate|draw-rewards/;

/**
 * Tests that would take ten seconds and more, run in processes of their own, where no mutant is, or try one
 * part of Twitch.
 */
const tooSlow =
  /restart|replayed-day|verifier-pages|loop\/(bad-input|size)|twitch\/(.*chat|event-|api-|token-bucket|redemption-)/;

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
export function runsOf(sources: string[]): { sources: string[]; tests: string[]; others: string[] }[] {
  const all = git('ls-files', 'tests/*.test.ts', 'tests/*.test.tsx').filter((file) => !tooSlow.test(file));
  const scopeOf = (file: string) => scopes.find((scope) => scope.sources.test(file));
  return scopes
    .map((scope) => {
      const tests = all.filter((file) => scope.tests.test(file) && !slow.test(file));
      return {
        sources: sources.filter((file) => scopeOf(file) === scope),
        tests,
        others: all.filter((file) => scope.others?.test(file) && !tests.includes(file)),
      };
    })
    .filter((run) => run.sources.length > 0);
}
