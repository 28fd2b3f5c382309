import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  chainAnew,
  DRAWS,
  drawTwoDozen,
  type PublishedPage,
  publishedOf,
  runVerifier,
  verifyPages,
} from '#tests/support/published-draws.ts';

/** Two dozen draws on three pages. */
const bounds = { draws: 10, candidates: 1000 };
let db: TestDatabase;
let ruleId: string;
let sealed: PublishedPage[];
let pages: PublishedPage[];

beforeAll(async () => {
  db = await openTestDatabase();
  const made = await drawTwoDozen(db);
  ruleId = made.ruleId;
  sealed = await publishedOf(db, ruleId, bounds);
  await made.close();
  pages = await publishedOf(db, ruleId, bounds);
});
afterAll(() => db.close());

const stops: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

test('The published pages say where they begin, where the next one is, and which draw is the latest', () => {
  expect(pages.map(({ after, draws, next }) => [after, draws.length, next])).toEqual([
    [0, 10, `/proof/${ruleId}.json?after=10`],
    [10, 10, `/proof/${ruleId}.json?after=20`],
    [20, 4, null],
  ]);
  const last = pages.at(-1)?.draws.at(-1);
  for (const { head } of pages) expect(head).toEqual({ number: DRAWS, fingerprint: last?.fingerprint });
});

test('A page ends with the draw that fills it, even if that is the only one', async () => {
  const four = await publishedOf(db, ruleId, { draws: 10, candidates: 14 });
  expect(four.map(({ draws }) => draws.length)).toEqual([4, 4, 4, 4, 4, 4]);
  const one = await publishedOf(db, ruleId, { draws: 10, candidates: 1 });
  expect(one).toHaveLength(DRAWS);
});

test('The script accepts all pages in order', async () => {
  const saved = [pages[0], pages[2]].map((page) => page?.draws[1]?.fingerprint ?? '');
  const { status, said } = await verifyPages(pages, ...saved);
  expect(said).toContain(`VERIFIED: ${DRAWS} draws`);
  expect(said).toContain('All 2 kept fingerprints are among them');
  expect(status).toBe(0);
});

/** The pages after a change; if careful, with recomputed fingerprints and everything that depends on them. */
function tampered(change: (pages: PublishedPage[]) => unknown, { careful = false } = {}): PublishedPage[] {
  const changed = structuredClone(pages);
  const made = (change(changed) ?? changed) as PublishedPage[];
  if (careful) chainAnew(made);
  return made;
}
const at = (from: readonly PublishedPage[], place: number): PublishedPage => {
  const page = from[place];
  if (!page) throw new Error(`there is no page ${place}`);
  return page;
};
const pick = (...places: number[]) =>
  tampered((all) => places.map((place) => structuredClone(at(all, place))));

const acrossPages: [string, string, () => unknown[]][] = [
  ['a page in the middle is left out', 'a page is missing, repeated or out of order', () => pick(0, 2)],
  ['the first page is left out', 'goes on after draw 10, not after draw 0', () => pick(1, 2)],
  [
    'the last page is left out',
    'the draws after draw 20 are missing: they begin at /proof/',
    () => pick(0, 1),
  ],
  ['a page comes twice', 'goes on after draw 0, not after draw 10', () => pick(0, 0, 1, 2)],
  ['the last page comes twice', 'goes on after draw 20, not after draw 24', () => pick(0, 1, 2, 2)],
  ['pages are out of order', 'a page is missing, repeated or out of order', () => pick(0, 2, 1)],
  [
    'a page is left out, and the next one says that it goes on where the first ends',
    'it is numbered 21, so a draw is missing',
    () =>
      tampered((all) => {
        at(all, 2).after = 10;
        return [at(all, 0), at(all, 2)];
      }),
  ],
  [
    'the first page is left out and all that follows is renumbered',
    'done again it takes',
    () =>
      tampered(
        (all) => {
          for (const page of all.slice(1)) {
            page.after -= 10;
            for (const draw of page.draws) draw.number -= 10;
          }
          return all.slice(1);
        },
        { careful: true },
      ),
  ],
  [
    'the last page is left out and the one before it says that it is the last',
    `the site calls draw ${DRAWS} the latest`,
    () =>
      tampered((all) => {
        at(all, 1).next = null;
        return all.slice(0, 2);
      }),
  ],
  [
    'a draw is missing where two pages meet',
    'it is numbered 12, so a draw is missing',
    () => tampered((all) => void at(all, 1).draws.shift()),
  ],
  [
    'a viewer of the first page comes up again on the last',
    'was drawn for before',
    () =>
      tampered(
        (all) => {
          for (const page of all) page.seed = null;
          const [first, again] = [at(all, 0).draws[0], at(all, 2).draws[3]];
          if (first && again) again.twitchId = first.twitchId;
        },
        { careful: true },
      ),
  ],
  [
    'a list of the first page was changed with care, and the pages after it were not',
    'draw 11: the fingerprint that it goes on from',
    () =>
      tampered((all) => {
        const head = at(all, 0).head;
        for (const each of at(all, 0).draws[9]?.candidates ?? []) each.weight += 1;
        chainAnew([at(all, 0)]);
        at(all, 0).head = head;
      }),
  ],
  [
    'a page is of another rule',
    'is of another rule',
    () => tampered((all) => void Object.assign(at(all, 1).rule, { id: 'another' })),
  ],
  [
    'a page has another commitment',
    'another commitment than the first page',
    () => tampered((all) => void Object.assign(at(all, 1), { commitment: 'ab'.repeat(32) })),
  ],
  [
    'a page is from before the rule was closed',
    'another seed than the first page',
    () => [at(sealed, 0), ...pages.slice(1)],
  ],
  [
    'a page has no draws',
    'has no draws, yet is not the last',
    () => tampered((all) => void at(all, 1).draws.splice(0)),
  ],
  ['a file is cut off', 'is not JSON', () => [at(pages, 0), '{"format":"keepsake-dr', at(pages, 2)]],
];

test.each(acrossPages)('The script detects that %s', async (_what, words, make) => {
  const { status, said } = await verifyPages(make());
  expect(said).toContain('NOT VERIFIED\n');
  expect(said).toContain(words);
  expect(status).toBe(1);
});

/** A site of its own, on this machine. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const afterIn = (url = '/') => Number(new URL(url, 'http://site').searchParams.get('after') ?? 0);

test('Given a URL, the script follows the pages from there', async () => {
  const asked: string[] = [];
  const site = await serve(({ url = '' }, response) => {
    asked.push(url);
    response.end(JSON.stringify(pages.find(({ after }) => after === afterIn(url))));
  });
  const saved = pages[1]?.draws[0]?.fingerprint ?? '';
  const { status, said } = await runVerifier(`${site}/proof/${ruleId}.json`, saved);
  expect(said).toContain(`VERIFIED: ${DRAWS} draws`);
  expect(status).toBe(0);
  expect(asked.map((url) => afterIn(url))).toEqual([0, 10, 20]);
});

const first = () => at(pages, 0);
const badSites: [string, string, RequestListener][] = [
  ['leads in a circle', 'repeated', (_, response) => response.end(JSON.stringify(first()))],
  [
    'sends to another site',
    'sends to another site, http://127.0.0.1:9',
    (_, response) => response.end(JSON.stringify({ ...first(), next: 'http://127.0.0.1:9/x' })),
  ],
  ['has no such rule', 'it answered 404', (_, response) => response.writeHead(404).end()],
  [
    'is asked too often',
    'it answered 429; try again in 7 seconds',
    (_, response) => response.writeHead(429, { 'Retry-After': '7' }).end(),
  ],
  [
    'sends elsewhere by a redirect',
    'it answered 302',
    (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
  ],
  ['says nothing', 'nothing came within 0.5 seconds', () => {}],
  [
    'stops in the middle of a page',
    'nothing came within 0.5 seconds',
    (_, response) => void response.writeHead(200).write('{"format":'),
  ],
  [
    'never ends a page',
    'too large for a page',
    (_, response) => {
      const spaces = Buffer.alloc(1024 * 1024, ' ');
      const more = () => {
        while (!response.destroyed && response.write(spaces));
      };
      response.on('drain', more);
      more();
    },
  ],
];

test.each(badSites)('The script gives up on a site that %s', async (_what, words, answer) => {
  const site = await serve(answer);
  const patience = words.includes('0.5') ? ['--seconds', '0.5'] : [];
  const { status, said } = await runVerifier(`${site}/proof/${ruleId}.json`, ...patience);
  expect(said).toContain('NOT VERIFIED\n');
  expect(said).toContain(words);
  expect(status).toBe(1);
});

test('The script prints its usage without arguments, or with several URLs', async () => {
  const address = `http://127.0.0.1:9/proof/${ruleId}.json`;
  for (const given of [[], [address, address], ['--seconds', 'x', address]])
    expect(await runVerifier(...given)).toMatchObject({ status: 1, said: expect.stringContaining('Usage:') });
});
