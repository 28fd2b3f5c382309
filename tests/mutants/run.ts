// npm run mutants -- [paths] [--sample N --seed S]: small changes to the sources, each of which some test has to notice.
// Without paths those of the files that differ from main; with --sample only as many of them, drawn evenly. The last
// line is JSON.
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Mutant, MutantResult } from '@stryker-mutator/api/core';
import { ensureCertificates } from '#sandbox/steam/certificates.ts';
import { mutantsOf, tryMutants } from './mutants.ts';
import { draw, intervalOf, keyOf } from './sample.ts';
import { changedSources, runsOf, sourcesIn } from './scopes.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const sources = positionals.length > 0 ? sourcesIn(positionals) : changedSources();
// Node reads it when a process starts, and the tests run in processes that are started from here.
process.env.NODE_EXTRA_CA_CERTS = (await ensureCertificates('node_modules/.cache/keepsake-test-ca')).caFile;

const drawn = values.sample ? draw(await mutantsOf(sources), Number(values.sample), values.seed) : null;
const fileOf = ({ fileName }: Mutant) => relative(process.cwd(), fileName);
const drawnFrom = new Set(drawn?.map(fileOf));
const isLeft = ({ status }: MutantResult) => status === 'Survived' || status === 'NoCoverage';
const isKilled = ({ status }: MutantResult) => status === 'Killed' || status === 'Timeout';
const results: MutantResult[] = [];
const killedByOthers = new Set<string>();
for (const run of runsOf(drawn ? sources.filter((file) => drawnFrom.has(file)) : sources)) {
  const files = new Set(run.sources);
  const own = drawn?.filter((mutant) => files.has(fileOf(mutant))) ?? null;
  const first = await tryMutants(run.sources, run.tests, own);
  const left = first.filter(isLeft);
  if (left.length > 0 && run.others.length > 0) {
    console.log(`Left by the tests of their own room: ${left.length}. Left by the others too:`);
    const again = await tryMutants([...new Set(left.map(fileOf))], run.others, left);
    for (const result of again.filter(isKilled)) killedByOthers.add(keyOf(result));
  }
  results.push(...first);
}

const count = (...statuses: string[]) => results.filter(({ status }) => statuses.includes(status)).length;
const tried = results.filter((result) => isKilled(result) || isLeft(result)).length;
const killed = results.filter(isKilled).length + killedByOthers.size;
const percent = (share: number) => Math.round(share * 1000) / 10;
console.log(
  JSON.stringify({
    tried,
    killed,
    ...(killedByOthers.size > 0 && { killedByOthers: killedByOthers.size }),
    score: percent(killed / tried),
    ...(drawn && { seed: values.seed, interval: intervalOf(killed, tried).map(percent) }),
    withoutEnd: count('Timeout'),
    onlyWhileLoading: count('Ignored'),
    invalid: count('CompileError', 'RuntimeError'),
  }),
);
