// The web process's CPU time per page, relative to a trivial React Router page (React Router's template, built
// separately) served by the same server in the same process, as a browser asks for them: over HTTP with keep-alive and
// compression. `ratio` is the worst of measured over goal.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { median, rounded } from '#tests/benchmarks/measure.ts';
import { startPageWeb } from '#tests/benchmarks/page-web.ts';
import { fillPagesWorld } from '#tests/benchmarks/pages-world.ts';
import { makeSqliteFile } from '#tests/support/database.ts';

type Visitor = 'streamer' | 'newcomer' | null;
type Page = { name: string; path: string; visitor: Visitor; goal: number };

/** The CPU time allowed per page, as a multiple of the trivial page's. */
const pages: readonly Page[] = [
  { name: 'landing', path: '/', visitor: null, goal: 1.3 },
  { name: 'faq', path: '/faq', visitor: null, goal: 1.3 },
  { name: 'terms', path: '/terms_of_service', visitor: null, goal: 1.3 },
  { name: 'privacy', path: '/privacy_policy', visitor: null, goal: 1.3 },
  { name: 'cookies', path: '/cookie_policy', visitor: null, goal: 1.3 },
  { name: 'dashboard', path: '/dashboard', visitor: 'streamer', goal: 2 },
  { name: 'newDashboard', path: '/dashboard', visitor: 'newcomer', goal: 2 },
  { name: 'custody', path: '/items/custody', visitor: 'streamer', goal: 3 },
  { name: 'transfers', path: '/transfers', visitor: 'streamer', goal: 3 },
];

const WARM_UP = 150;
/**
 * Many short blocks, each between two of the reference: whatever else the machine does meets both sides of a pair, and
 * what meets only one is not in the median. In longer blocks the same code varied by a quarter from run to run.
 */
const ROUNDS = 60;
const BLOCK = 4;

export async function run() {
  // The trivial page is built with the same flags, but kept apart from the product.
  for (const root of ['.', 'tests/benchmarks/trivial'])
    execFileSync('node_modules/.bin/react-router', ['build', root], { stdio: 'ignore' });
  const { file, folder } = await makeSqliteFile('disk');
  const tokens = await fillPagesWorld(file, Date.now());
  const web = await startPageWeb(folder);
  const reference = { app: 'reference', path: '/' } as const;
  const asked = pages.map(
    ({ path, visitor }) => ({ app: 'product', path, token: visitor ? tokens[visitor] : undefined }) as const,
  );

  for (const each of [reference, ...asked]) await web.ask(each, WARM_UP);
  const found = asked.map(() => ({ ms: [] as number[], ratios: [] as number[] }));
  const references: number[] = [];
  let before = (await web.costOf(reference, BLOCK)).cpuMs;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, each] of asked.entries()) {
      const own = (await web.costOf(each, BLOCK)).cpuMs;
      const after = (await web.costOf(reference, BLOCK)).cpuMs;
      found[place]?.ms.push(own);
      found[place]?.ratios.push((2 * own) / (before + after));
      references.push(after);
      before = after;
    }
  }
  web.stop();
  rmSync(folder, { recursive: true, force: true });
  return report(found, median(references));
}

function report(found: readonly { ms: number[]; ratios: number[] }[], referenceMs: number) {
  const rows = pages.map(({ name, goal }, place) => {
    const { ms = [], ratios = [] } = found[place] ?? {};
    return { name, goal, ms: rounded(median(ms)), ratio: rounded(median(ratios)) };
  });
  console.table(rows);
  return {
    ratio: rounded(Math.max(...rows.map(({ ratio, goal }) => ratio / goal))),
    referenceMs: rounded(referenceMs),
    ...Object.fromEntries(rows.map(({ name, ratio }) => [name, ratio])),
  };
}
