import { getConfirmationKey } from 'steam-totp';
import { expect, onTestFinished, test, vi } from 'vitest';
import { steamErrors } from '#bot/metrics.ts';
import { createLimiters, type Limiters } from '#bot/steam/limiters.ts';
import { LiveAccount } from '#bot/steam/live-account.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';
import { holdTime } from '#tests/support/passing-time.ts';
import { hurriedPace } from '#tests/support/steam-stage.ts';

const BOT = '76561198000000009';
const VIEWER = '76561198000000001';

type Query = Record<string, string | number>;
interface Answer {
  body?: unknown;
  /** Steam's result header. */
  result?: string;
  error?: Error;
}

/** A bot's account over a web that answers with this; `asked` are the queries. */
function accountOver(
  answer: (path: string, query: Query) => Answer,
  { limits = {}, clients = {} }: { limits?: Partial<Limiters>; clients?: object } = {},
) {
  const asked: (Query & { path: string })[] = [];
  const community = {
    httpRequestGet(
      { uri, qs }: { uri: string; qs: Query },
      receive: (error: Error | null, response: object, body: unknown) => void,
    ) {
      const { pathname } = new URL(uri);
      asked.push({ path: pathname.split('/').at(-3) ?? '', ...qs });
      const { error = null, body = null, result } = answer(pathname, qs);
      receive(error, { headers: { 'x-eresult': result } }, body);
    },
  };
  const session = {
    isReady: true,
    clockAheadSeconds: 0,
    accessToken: 'access',
    webSessionLost: vi.fn(),
    contain: <T>(call: () => T) => call(),
    clients: { community: Object.assign(community, clients), manager: clients, waitMs: () => 0 },
  };
  const account = new LiveAccount({
    botId: 'bot-1',
    steamId: BOT,
    identitySecret: 'c2VjcmV0',
    session: session as unknown as SteamSession,
    limiters: { ...createLimiters(hurriedPace.services), ...limits },
    leftMs: () => Number.POSITIVE_INFINITY,
  });
  return { account, session, asked };
}

const web = (response: object): Answer => ({ body: { response }, result: '1' });
const later = { ok: false, code: 'steamUnavailable', retry: 'later' };

/** Sends an offer from a bot, with this answer of the manager's offer. */
const sending = (answer: (receive: (error: Error | null, status?: string) => void) => void, id: unknown) => ({
  createOffer: () => ({ id, addMyItem() {}, addTheirItem() {}, setMessage() {}, send: answer }),
});
const request = { partnerSteamId: VIEWER, tradeToken: 'tokenABC', message: '', give: [], receive: [] };

test('An answer without an offer leaves open whether there is one: it is looked for, not sent again', async () => {
  const clients = sending((receive) => receive(null, 'sent'), null);
  const { account } = accountOver(() => ({}), { clients });
  const answer = await account.sendOffer(request, () => true);
  expect(answer).toMatchObject({ ok: false, code: 'answerLost', retry: 'unknown' });
});

test('An offer whose turn comes too late is not sent', async () => {
  const send = vi.fn((receive: (error: Error | null, status?: string) => void) => receive(null, 'sent'));
  const { account } = accountOver(() => ({}), { clients: sending(send, 5) });
  const answer = await account.sendOffer(request, () => false);
  expect(answer).toMatchObject({ ok: false, code: 'steamBusy', retry: 'later' });
  expect(send).not.toHaveBeenCalled();
});

test('A sent offer has an id, and says whether the authenticator has to confirm it', async () => {
  for (const [status, needsConfirmation] of [
    ['sent', false],
    ['pending', true],
  ] as const) {
    const { account } = accountOver(() => ({}), { clients: sending((receive) => receive(null, status), 5) });
    expect(await account.sendOffer(request, () => true)).toEqual({
      ok: true,
      value: { offerId: '5', needsConfirmation },
    });
  }
});

test('A refusal that may mean the link or the inventory is explained by a check of the link', async () => {
  const refused = (eresult: number) =>
    sending((receive) => receive(Object.assign(new Error('refused'), { eresult })), null);
  const working = web({ my_escrow: {}, their_escrow: {} });
  const send = async (eresult: number, link: Answer) => {
    const { account, asked } = accountOver(() => link, { clients: refused(eresult) });
    return { answer: await account.sendOffer(request, () => true), asked };
  };
  expect((await send(15, working)).answer).toMatchObject({ code: 'inventoryUnavailable', retry: 'never' });
  const dead = await send(15, { body: {}, result: '15' });
  expect(dead.answer).toMatchObject({ code: 'steamTokenInvalid', retry: 'never', detail: 'refused' });
  expect(dead.asked).toEqual([
    {
      path: 'GetTradeHoldDurations',
      steamid_target: VIEWER,
      trade_offer_access_token: 'tokenABC',
      access_token: 'access',
    },
  ]);
  const missing = await send(26, working);
  expect(missing.answer).toMatchObject({ code: 'itemUnavailable', retry: 'never' });
  expect(missing.asked).toEqual([]);
});

test('Of the waiting confirmations those of the named offers are accepted, each request at a second of its own', async () => {
  holdTime(1_700_000_000_000);
  onTestFinished(() => void vi.useRealTimers());
  const times: number[] = [];
  const tags: string[] = [];
  const note = (time: number, { tag, key }: { tag: string; key: string }) => {
    tags.push(tag);
    expect(key).toBe(getConfirmationKey('c2VjcmV0', time, tag));
    times.push(time);
  };
  const accepted: string[] = [];
  const confirmation = (id: string, type: number, creator: string | number) => ({
    id,
    key: `key ${id}`,
    type,
    creator,
    respond(time: number, key: never, accept: boolean, done: (error: null) => void) {
      note(time, key);
      if (accept) accepted.push(`alone ${id}`);
      done(null);
    },
  });
  const waiting = [confirmation('a', 2, '1'), confirmation('b', 3, '1'), confirmation('c', 2, 2)];
  const clients = {
    getConfirmations(time: number, key: never, receive: (error: null, list: unknown[]) => void) {
      note(time, key);
      receive(null, waiting);
    },
    respondToConfirmation(
      ids: string[],
      keys: string[],
      time: number,
      key: never,
      accept: boolean,
      done: (error: null) => void,
    ) {
      note(time, key);
      if (accept) accepted.push(...ids.map((id, nth) => `${id} with ${keys[nth]}`));
      done(null);
    },
  };
  const { account, session } = accountOver(() => ({}), { clients });
  session.clockAheadSeconds = 7;
  for (const offerIds of [['1'], ['9'], ['1', '2']])
    expect(await account.confirmOffers(offerIds)).toEqual({ ok: true, value: null });
  expect(accepted).toEqual(['alone a', 'a with key a', 'c with key c']);
  expect(times.map((time) => time - 1_700_000_007)).toEqual([0, 1, 2, 3, 4]);
  expect(tags).toEqual(['list', 'accept', 'list', 'list', 'accept']);
});

test('The list of sent offers is read to its end, and one without an end is no answer', async () => {
  const offer = (tradeofferid: string) => ({ tradeofferid, trade_offer_state: 2 });
  const pages: Record<number, object> = {
    0: { trade_offers_sent: [offer('1'), {}], next_cursor: 7 },
    7: { trade_offers_sent: [offer('2')], next_cursor: 0 },
  };
  const { account, asked } = accountOver((_path, { cursor }) => web(pages[Number(cursor)] ?? {}));
  const answer = await account.offersSince(1_700_000_000_999);
  expect(answer).toMatchObject({ ok: true, value: { unreadable: 1 } });
  expect(answer.ok && answer.value.offers.map(({ offerId }) => offerId)).toEqual(['1', '2']);
  const wanted = { get_sent_offers: 1, active_only: 1, time_historical_cutoff: 1_700_000_000 };
  expect(asked).toMatchObject([
    { ...wanted, path: 'GetTradeOffers', cursor: 0 },
    { ...wanted, cursor: 7 },
  ]);

  const endless = accountOver(() => web({ trade_offers_sent: [offer('1')], next_cursor: 1 }));
  expect(await endless.account.offersSince(0)).toMatchObject(later);
  expect(endless.asked).toHaveLength(100);
});

test('What cannot be read is no answer, also where only a later page fails', async () => {
  const down: Answer = { error: Object.assign(new Error('HTTP error 503'), { code: 503 }) };
  const { account } = accountOver(() => down);
  const unread = [
    account.offersSince(0),
    account.offer('1'),
    account.getTrade('1'),
    account.getReversal('1'),
    account.tradesSince(0),
    account.holdDurations(VIEWER, 'tokenABC'),
    account.profile(),
    account.backpack(),
  ];
  for (const answer of await Promise.all(unread)) expect(answer).toMatchObject(later);

  const first = web({ trade_offers_sent: [], next_cursor: 7 });
  const half = accountOver((_path, { cursor }) => (cursor === 0 ? first : down));
  expect(await half.account.offersSince(0)).toMatchObject(later);
});

test('An offer or a trade that Steam does not show may be shown later', async () => {
  const { account, asked } = accountOver((path) =>
    web(path.includes('GetTradeStatus') ? { trades: [{ tradeid: 'another', status: 3 }] } : {}),
  );
  expect(await account.offer('1')).toMatchObject({ ok: false, code: 'offerUnknown', retry: 'later' });
  for (const answer of [await account.getTrade('t1'), await account.getReversal('t1')])
    expect(answer).toMatchObject(later);
  expect(asked).toMatchObject([{ tradeofferid: '1' }, { tradeid: 't1' }, { tradeid: 't1' }]);
});

/** The history of as many trades, one in each page; the newest, `t0`, was made in second 1000 and each before it earlier. */
function historyOf(amount: number, facts: (nth: number) => object = () => ({})) {
  const tradeOf = (nth: number) => ({ tradeid: `t${nth}`, status: 3, time_init: 1000 - nth, ...facts(nth) });
  return accountOver((path, query) => {
    if (path.includes('GetTradeStatus'))
      return web({ trades: [tradeOf(Number(String(query.tradeid).slice(1)))] });
    const nth = query.start_after_tradeid ? Number(String(query.start_after_tradeid).slice(1)) + 1 : 0;
    return web({ trades: nth < amount ? [tradeOf(nth)] : [], more: nth < amount - 1 });
  });
}

test('The history is read back to the wanted moment, page by page', async () => {
  const { account, asked } = historyOf(9);
  const answer = await account.tradesSince(998_000);
  expect(answer.ok && [...answer.value.trades.keys()]).toEqual(['t0', 't1', 't2', 't3']);
  expect(answer.ok && answer.value.pages).toBe(4);
  expect(answer.ok && answer.value.trades.get('t1')).toEqual({
    standing: 'complete',
    moved: [],
    madeAtMs: 999_000,
  });
  const wanted = { path: 'GetTradeHistory', max_trades: 100, include_failed: 1, get_descriptions: 0 };
  expect(asked[0]).toEqual({ ...wanted, access_token: 'access' });
  expect(asked[1]).toMatchObject({ ...wanted, start_after_time: 1000, start_after_tradeid: 't0' });

  const whole = historyOf(3);
  expect(await whole.account.tradesSince(0)).toMatchObject({ value: { pages: 3 } });
  expect(whole.asked).toHaveLength(3);
});

test('A history without times is read to its end, and one without an end for five hundred pages', async () => {
  const timeless = historyOf(3, () => ({ time_init: null }));
  expect(await timeless.account.tradesSince(9_000_000)).toMatchObject({ value: { pages: 3 } });
  expect(timeless.asked[1]).toMatchObject({ start_after_time: 0, start_after_tradeid: 't0' });
  const endless = await historyOf(9999).account.tradesSince(-9_999_000);
  expect(endless).toMatchObject({ ok: true, value: { pages: 500 } });
  expect(endless.ok && endless.value.trades.size).toBe(500);
  const stuck = accountOver(() => web({ trades: [], more: true }));
  expect(await stuck.account.tradesSince(0)).toMatchObject({ value: { pages: 1 } });
});

test('What a reversal returned is looked for among the trades after the one that it reversed', async () => {
  const asset = { appid: 730, assetid: '6', new_assetid: '7', new_contextid: 2 };
  const { account, asked } = historyOf(9, (nth) =>
    nth === 1 ? { rollback_trade: 't3', assets_received: [asset] } : {},
  );
  const back = [{ appId: 730, assetId: '6', newAssetId: '7', newContextId: '2' }];
  expect(await account.getReversal('t3')).toEqual({ ok: true, value: back });
  expect(asked.map(({ path }) => path)).toEqual(['GetTradeStatus', ...Array(4).fill('GetTradeHistory')]);
});

test('A reversed trade that the history leaves out is not looked for beyond older ones', async () => {
  const reversed = { tradeid: 'hidden', status: 12, time_init: 998 };
  const { account, asked } = accountOver((path, query) => {
    if (path.includes('GetTradeStatus')) return web({ trades: [reversed] });
    const nth = query.start_after_tradeid ? Number(query.start_after_tradeid) + 1 : 0;
    return web({ trades: [{ tradeid: String(nth), status: 3, time_init: 1000 - nth }], more: true });
  });
  expect(await account.getReversal('hidden')).toEqual({ ok: true, value: [] });
  expect(asked).toHaveLength(1 + 4);
});

/** Inventory pages of these assets each; a page's answer names the next one. */
function inventoryOf(pages: readonly (readonly unknown[])[], total?: number | string | null) {
  return accountOver((_path, { start_assetid = '' }) => {
    const nth = start_assetid ? Number(String(start_assetid).slice(1)) : 0;
    const more = nth < pages.length - 1 ? { more_items: 1, last_assetid: `p${nth + 1}` } : {};
    const body = { success: 1, assets: pages[nth], descriptions: [], total_inventory_count: total, ...more };
    return { body };
  });
}
const row = (assetid: string) => ({ assetid, classid: '100' });
const idsOf = (answer: Awaited<ReturnType<LiveAccount['inventory']>>) =>
  answer.ok ? answer.value.map(({ assetId }) => assetId) : answer;

test('An inventory is read to its end', async () => {
  const { account, asked } = inventoryOf([[row('1')], [row('2')]], 2);
  const answer = await account.inventory(VIEWER, 730, '2');
  expect(idsOf(answer)).toEqual(['1', '2']);
  expect(answer).not.toHaveProperty('isShort');
  expect(asked.map(({ path, ...query }) => query)).toEqual([
    { l: 'english', count: 1000 },
    { l: 'english', count: 1000, start_assetid: 'p1' },
  ]);
  const endless = accountOver(() => ({ body: { success: 1, more_items: 1, last_assetid: '1' } }));
  expect(await endless.account.inventory(VIEWER, 730, '2')).toMatchObject(later);
  expect(endless.asked).toHaveLength(100);
});

test('An inventory that names no next page is over', async () => {
  const { account, asked } = accountOver(() => ({ body: { success: 1, assets: [row('1')], more_items: 1 } }));
  expect(idsOf(await account.inventory(VIEWER, 730, '2'))).toEqual(['1']);
  expect(asked).toHaveLength(1);
});

test('An inventory with rows that cannot be read, or of ours with fewer than it has, proves nothing absent', async () => {
  const isShort = async (steamId: string, rows: unknown[], total?: number | null) => {
    const answer = await inventoryOf([rows], total).account.inventory(steamId, 730, '2');
    return answer.ok ? answer.isShort === true : answer.code;
  };
  expect(await isShort(VIEWER, [row('1'), {}], 2)).toBe(true);
  expect(await isShort(BOT, [row('1')], 2)).toBe(true);
  expect(await isShort(BOT, [row('1')], 1)).toBe(false);
  expect(await isShort(BOT, [row('1')], null)).toBe(false);
  expect(await isShort(VIEWER, [row('1')], 2)).toBe(false);
  expect(await isShort(BOT, [], 0)).toBe(false);
  expect(await isShort(BOT, [], 1)).toBe('steamUnavailable');
  expect(await isShort(VIEWER, [], 1)).toBe(false);
  const { account } = inventoryOf([[row('1'), {}], [row('2')]]);
  expect(await account.inventory(VIEWER, 730, '2')).toMatchObject({ isShort: true });
});

test('An inventory in another form is not an empty one', async () => {
  for (const body of [{}, null, { success: 0, assets: [] }])
    expect(await accountOver(() => ({ body })).account.inventory(VIEWER, 730, '2')).toMatchObject(later);
});

test('Nobody’s own inventory is private: the bot’s session is dead', async () => {
  const refusing = (body: unknown = null) =>
    accountOver(() => ({ error: new Error('HTTP error 403'), body }));
  const own = refusing();
  const read = await own.account.inventory(BOT, 730, '2');
  expect(read).toMatchObject({ code: 'steamSessionLost', retry: 'later' });
  expect(own.session.webSessionLost).toHaveBeenCalledTimes(1);
  const partners = refusing();
  const theirs = await partners.account.inventory(VIEWER, 730, '2');
  expect(theirs).toMatchObject({ code: 'inventoryPrivate', retry: 'never' });
  expect(partners.session.webSessionLost).not.toHaveBeenCalled();
  const words = refusing('<html>');
  expect(await words.account.inventory(BOT, 730, '2')).toMatchObject(later);
  const down = accountOver(() => ({ error: new Error('HTTP error 500') }));
  expect(await down.account.inventory(BOT, 730, '2')).toMatchObject(later);
});

test('Without a web session nothing is asked; a session that is lost is renewed', async () => {
  const { account, session, asked } = accountOver(() => ({ error: new Error('HTTP error 401') }));
  session.isReady = false;
  expect(await account.offer('1')).toMatchObject({ code: 'steamSessionLost', retry: 'later' });
  expect([asked.length, session.webSessionLost.mock.calls.length]).toEqual([0, 0]);
  session.isReady = true;
  steamErrors.reset();
  expect(await account.offer('1')).toMatchObject({ code: 'steamSessionLost', retry: 'later' });
  expect((await steamErrors.get()).values).toEqual([{ labels: { code: 'steamSessionLost' }, value: 1 }]);
  expect([asked.length, session.webSessionLost.mock.calls.length]).toEqual([1, 1]);
});

test('A call that finds no turn was not made, and may be later', async () => {
  const { account, asked } = accountOver(() => web({}), {
    limits: { webApi: { take: async () => null, refuseVisitors: () => {} } },
  });
  expect(await account.offer('1')).toMatchObject({ ok: false, code: 'steamBusy', retry: 'later' });
  expect(asked).toEqual([]);
});

test('A Web API answer is read for its result and its content', async () => {
  const offer = { tradeofferid: '1', trade_offer_state: 2 };
  const read = (answer: Answer) => accountOver(() => answer).account.offer('1');
  expect(await read({ body: { response: { offer } }, result: '2' })).toMatchObject({ ok: true });
  for (const body of [{ response: {} }, {}, null, undefined])
    expect(await read({ body, result: '2' })).toMatchObject(later);
  expect(await read({ body: 'Forbidden' })).toMatchObject(later);
  expect(await read({ body: { response: { offer } }, result: '84' })).toMatchObject({ code: 'steamBusy' });
});

test('The page of sent offers is read for the ids on it; another page, or none, is no lost answer', async () => {
  const visit = (answer: Answer) => accountOver(() => answer).account.visitSentOffers();
  const shown = '<div class="right_controls_large_block_active_bg">';
  const tab = `<a href="https://steamcommunity.com/profiles/1/tradeoffers/sent/">${shown}</a>`;
  const body = `${tab}<div class="tradeoffer" id="tradeofferid_12"></div><div class="tradeoffer" id="tradeofferid_7">`;
  expect(await visit({ body })).toEqual({ ok: true, value: ['12', '7'] });
  expect(await visit({ body: tab })).toEqual({ ok: true, value: [] });
  expect(await visit({ body: '<html>' })).toMatchObject(later);
  expect(await visit({ error: new Error('HTTP error 500') })).toMatchObject(later);
});
