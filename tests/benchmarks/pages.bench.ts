// The web process's CPU time per page, relative to a trivial React Router page (React Router's template, built
// separately) served by the same server in the same process. Alternating blocks of requests, as a browser sends them:
// over HTTP with keep-alive and compression. `ratio` is the worst of measured over goal.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, get, type RequestOptions } from 'node:http';
import { webEnvironment } from '#tests/app/support/web-environment.ts';
import { median, rounded } from '#tests/benchmarks/measure.ts';
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
const ROUNDS = 9;
const BLOCK = 20;

const browser = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-US,en;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
};

export async function run() {
  // The trivial page is built with the same flags, but kept apart from the product.
  for (const root of ['.', 'tests/benchmarks/trivial'])
    execFileSync('node_modules/.bin/react-router', ['build', root], { stdio: 'ignore' });
  const { file, folder } = await makeSqliteFile('disk');
  const tokens = await fillPagesWorld(file, Date.now());
  const web = await startWeb(folder);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (port: number, path: string, visitor: Visitor) =>
    read({
      port,
      path,
      agent,
      headers: { ...browser, ...(visitor && { Cookie: cookieOf(tokens[visitor]) }) },
    });
  const reference = () => ask(web.reference, '/', null);
  const asks = pages.map((page) => ({ page, work: () => ask(web.product, page.path, page.visitor) }));

  for (const { work } of [{ work: reference }, ...asks]) await repeat(WARM_UP, work);
  const found = asks.map(() => ({ ms: [] as number[], ratios: [] as number[] }));
  const references: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, { work }] of asks.entries()) {
      const before = await web.cpuOf(() => repeat(BLOCK / 2, reference));
      const own = await web.cpuOf(() => repeat(BLOCK, work));
      const after = await web.cpuOf(() => repeat(BLOCK / 2, reference));
      references.push((before + after) / BLOCK);
      found[place]?.ms.push(own / BLOCK);
      found[place]?.ratios.push(own / (before + after));
    }
  }
  agent.destroy();
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

/** The process that serves both; its CPU time is read before and after some work. */
async function startWeb(folder: string) {
  const child = fork('tests/benchmarks/pages-server.ts', {
    execArgv: ['--import', 'tsx'],
    env: {
      PATH: process.env.PATH,
      ...webEnvironment({ KEEPSAKE_DATA_DIR: folder, LOG_LEVEL: 'info', NODE_ENV: 'production' }),
    },
    // It logs every request, as in production; the output is discarded.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ports] = (await once(child, 'message')) as [{ product: number; reference: number }];
  const cpu = async (): Promise<number> => {
    child.send('cpu');
    const [ms] = (await once(child, 'message')) as [number];
    return ms;
  };
  const cpuOf = async (work: () => Promise<void>): Promise<number> => {
    const before = await cpu();
    await work();
    return (await cpu()) - before;
  };
  return { ...ports, cpuOf, stop: () => child.disconnect() };
}

/** The session cookie as a browser sends it. */
const cookieOf = (token: string) =>
  `keepsake_session=${encodeURIComponent(Buffer.from(JSON.stringify(token)).toString('base64'))}`;

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}

/** Requests a page and reads all of it, still compressed. */
async function read(options: RequestOptions): Promise<void> {
  const [answer] = await once(get({ ...options, host: '127.0.0.1' }), 'response');
  if (answer.statusCode !== 200) throw new Error(`${options.path} answered ${answer.statusCode}`);
  for await (const _ of answer);
}
