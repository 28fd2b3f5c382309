import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { loader } from '#app/routes/account/trade-link.tsx';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';
import { member } from '../support/member.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

/** The bot's next answers about a trade link and about an inventory. */
let readiness: [status: number, body: object] = [200, {}];
let inventory: [status: number, body: object] = [200, {}];
const asked: string[] = [];
const bot = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  asked.push(request.url ?? '');
  const [status, body] = request.url?.startsWith('/readiness') ? readiness : inventory;
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
});
await new Promise<void>((done) => bot.listen(0, '127.0.0.1', done));
afterAll(() => void bot.close());
await setWeb({ BOT_URL: `http://127.0.0.1:${(bot.address() as AddressInfo).port}` });

let numbers = 0;
async function trader(): Promise<Visitor> {
  const { visitor } = await member();
  const db = await database();
  const token = visitor.sessionToken();
  const session = await findSession(db, { token }, Date.now());
  const userId = session?.userId ?? '';
  const steamId = String(76_561_197_970_000_000n + BigInt(++numbers));
  await linkSteam(db, { userId, steamId }, Date.now());
  await setTradeLink(db, { userId, tradeLink: formatTradeLink({ steamId, token: 'abcd1234' }) }, Date.now());
  return visitor;
}
const check = async (visitor: Visitor, path = '/profile/trade-link') =>
  (await visitor.call(loader, path, { guard: verified })).body.readiness;

test('A working link without a hold and a public inventory are ready', async () => {
  const visitor = await trader();
  expect(visitor.cookieNames()).toContain(sessionCookieName());
  readiness = [200, { tokenValid: true, ourDays: 0, theirDays: 0 }];
  inventory = [200, { items: [], ageMs: 0 }];
  expect(await check(visitor)).toEqual({ token: 'good', hold: 'good', holdDays: 0, inventory: 'good' });
  await check(visitor, '/profile/trade-link?fresh=1');
  expect(asked.some((path) => path.endsWith('refresh=1'))).toBe(true);
});

test.each([
  [[200, { tokenValid: false }], [200, { items: [], ageMs: 0 }], { token: 'bad', hold: 'unknown' }],
  [
    [200, { tokenValid: true, ourDays: 0, theirDays: 15 }],
    [403, { code: 'inventoryPrivate' }],
    { hold: 'bad', holdDays: 15, inventory: 'bad' },
  ],
  [
    [503, { code: 'steamUnavailable' }],
    [503, { code: 'steamUnavailable' }],
    { token: 'unknown', hold: 'unknown', inventory: 'unknown' },
  ],
  [[200, { surprise: true }], [200, { surprise: true }], { token: 'unknown', inventory: 'unknown' }],
] as const)(
  'When the bot answers %j and %j, the page says which one is not ready',
  async (link, items, states) => {
    readiness = [...link];
    inventory = [...items];
    expect(await check(await trader())).toMatchObject(states);
  },
);

test('Without a trade link, the bot is not asked', async () => {
  const { visitor } = await member();
  asked.length = 0;
  expect(await check(visitor)).toBeNull();
  expect(asked).toEqual([]);
});
