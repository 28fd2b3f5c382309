import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Endpoint } from '#app/api/endpoint.ts';
import { asset } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { idIn, type Owner, ownerOfAll } from '../support/owner.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
const twitch = await startFakeTwitch();
await setWeb({ BOT_URL: bot.url, ...twitch.environment });
afterAll(() => bot.stop());

// Some modules read the configuration when they are loaded, so they are imported after it is set.
const { areas } = await import('#app/api/table.server.ts');
const { honestCalls } = await import('./support/honest-calls.ts');
const { holdToken, signIn } = await import('./support/people.ts');

const oddTexts = [
  '',
  ' ',
  'null',
  '-1',
  '0',
  '1e9',
  '99999999999999999999',
  '\u0000',
  '\u202e',
  '\uffff',
  '😀',
  '__proto__',
  'constructor',
  '../../users',
  "' or 1=1 --",
  '%',
  '730-AAAAAAAAAAAA',
  '00000000-0000-7000-8000-000000000000',
  'x'.repeat(3000),
];
const oddText = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: 'grapheme' }));
const oddValue = fc.oneof(
  oddText,
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    1e308,
    '\ud800',
    [],
    {},
    [null],
    [[]],
  ),
  fc.jsonValue(),
);

type Path = (string | number)[];

/** The places of all values in a body, nested ones included. */
const placesIn = (value: unknown, above: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [
        [...above, name],
        ...placesIn(inner, [...above, name]),
      ])
    : [];

/** The body with another value at one place, or without it. */
function changed(body: object, path: Path, value: unknown): object {
  const copy = structuredClone(body);
  const above = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((each, step) => each[step] as never, copy as never);
  const [last = ''] = path.slice(-1);
  if (value === undefined) delete above[last];
  else above[last] = value;
  return copy;
}

function bodiesLike(honest: Record<string, unknown> | undefined): fc.Arbitrary<unknown> {
  const places = placesIn(honest);
  if (!honest || places.length === 0) return fc.jsonValue();
  const oneWrong = fc
    .tuple(fc.constantFrom(...places), fc.oneof(oddValue, fc.constant(undefined)))
    .map(([path, value]) => changed(honest, path, value));
  return fc.oneof({ weight: 5, arbitrary: oneWrong }, { weight: 1, arbitrary: fc.jsonValue() });
}

/** Parameters of the query by their own names, with odd values. */
function queriesFor(row: Endpoint): fc.Arbitrary<string> {
  const families = [
    ...Object.keys(row.filter.shape).map((name) => `filter[${name}]`),
    'page[after]',
    'page[size]',
  ];
  const kinds = row.answers.of.map(({ type }) => `fields[${type}]`);
  const pair = fc.tuple(fc.constantFrom(...families, ...kinds, 'include', 'filter', 'page[]'), oddText);
  return fc.array(pair, { maxLength: 2 }).map((pairs) => new URLSearchParams(pairs).toString());
}

const pathsFor = (row: Endpoint, owner: Owner): fc.Arbitrary<string> => {
  const own = row.path.replace('{id}', idIn(row.path, owner)).replace('{login}', owner.login);
  if (!row.path.includes('{')) return fc.constant(own);
  const odd = oddText.filter((text) => !['', '.', '..'].includes(text));
  const withOdd = odd.map((text) => row.path.replace(/\{\w+\}/, () => encodeURIComponent(text)));
  return fc.oneof(fc.constant(own), withOdd);
};

const headers = fc.oneof(
  fc.constant({}),
  fc
    .constantFrom('', 'x', '0', '00000000-0000-7000-8000-000000000000')
    .map((key) => ({ 'Idempotency-Key': key })),
);

/** An account may call six hundred times a minute: each area of the API has an owner of its own. */
const owners = new Map<string, Promise<Owner>>();
async function ownerFor(area: string): Promise<Owner> {
  const owner = owners.get(area) ?? ownerOfAll();
  owners.set(area, owner);
  const { steamId, kind } = await owner;
  bot.inventories.set(steamId, [{ ...asset(kind.marketHashName), tradable: true }]);
  return owner;
}

const calls = Object.entries(areas).flatMap(([area, rows]) =>
  rows.filter(({ answers }) => answers.data !== 'events').map((row) => [row.name, area, row] as const),
);

test.each(calls)(
  '%s answers whatever it is sent with success or a documented refusal',
  async (name, area, row) => {
    const owner = await ownerFor(area);
    const honest = await honestCalls[name]?.(owner);
    // A call that ends a session or a token ends its own. Only a session can be confirmed.
    const app = name === 'confirmIdentity' ? await signIn(owner) : await holdToken(owner);
    const sent = fc.record({
      path: pathsFor(row, owner),
      query: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: queriesFor(row) }),
      body: bodiesLike(honest?.json),
      isDocument: fc.boolean(),
      headers,
    });
    await fc.assert(
      fc.asyncProperty(sent, async ({ path, query, body, isDocument, headers: more }) => {
        const document = { data: { type: row.body?.type ?? 'nothing', attributes: body } };
        const content = row.method === 'GET' ? {} : isDocument ? { document } : { json: body };
        // The app holds every answer to the document.
        const reply = await app.send(row.method, `${path}${query && `?${query}`}`, {
          ...content,
          headers: more,
        });
        if (reply.status >= 500) expect(Object.keys(row.refuses)).toContain(reply.codes[0]);
        if (reply.status >= 400) expect(reply.body.errors[0].title.length).toBeGreaterThan(0);
      }),
      { numRuns: 12 },
    );
  },
);
