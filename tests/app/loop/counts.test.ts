import { beforeAll, expect, test } from 'vitest';
import { loader as dashboardLoader } from '#app/routes/dashboard/dashboard.tsx';
import { loader as givenLoader } from '#app/routes/given-rewards/given-rewards.tsx';
import { loader as custodyLoader } from '#app/routes/items/custody.tsx';
import { loader as inventoryLoader } from '#app/routes/items/inventory.tsx';
import { loader as progressLoader } from '#app/routes/progress/progress.tsx';
import { loader as ruleLoader } from '#app/routes/rules/rule.tsx';
import { loader as rulesLoader } from '#app/routes/rules/rules.tsx';
import { loader as transfersLoader } from '#app/routes/transfers/transfers.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { countReadyRewards } from '#domain/reward/count-ready-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, rewardsOf } from '#tests/support/looking.ts';
import { watchFor } from '#tests/support/watching.ts';
import { visitorOf } from '../support/signed-in.ts';
import { type Reader, readerLike, wordsOf } from '../support/site.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
const db = await database();

let streamer: Person;
let visitor: Visitor;
let reader: Reader;
let viewers: Person[];
const ruleIds: string[] = [];

/** Claims a promised reward as its viewer. */
async function claimAs(viewer: Person, ruleId: string, nowMs: number): Promise<void> {
  const mine = (await rewardsOf(db, ruleId)).find(({ userId }) => userId === viewer.userId);
  const claimed = await claimReward(db, { rewardId: mine?.id ?? '', userId: viewer.userId }, nowMs);
  if (!claimed.ok) throw new Error(claimed.code);
}

const MEETS = 12 * 3600;

/**
 * One streamer with rewards in every state: a rule with promises, an offer in preparation, one sent, one held by Steam,
 * two delivered; a rule with a line; one that is low; a deleted one that still owes; items locked, free and moving.
 */
beforeAll(async () => {
  await addBot(db);
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
  reader = readerLike(visitor);
  viewers = await Promise.all(Array.from({ length: 8 }, () => addPerson(db)));
  const nowMs = (await domainNow()) - 2 * hour;
  const many = await addRule(db, streamer, { name: 'Many', rewards: 12, nowMs: nowMs - 10 * day });
  const owing = await addRule(db, streamer, { name: 'Owing', rewards: 2, nowMs: nowMs - 10 * day });
  await watchFor(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, MEETS] as const),
  );
  await evaluateChannel(db, streamer.twitchId, nowMs);
  await closeRule(db, { ruleId: owing, userId: streamer.userId }, nowMs);
  const line = await addRule(db, streamer, { name: 'Line', rewards: 0, nowMs });
  const low = await addRule(db, streamer, { name: 'Low', rewards: 2, nowMs, watchMinutes: 600 });
  ruleIds.push(many, owing, line, low);
  await watchFor(
    db,
    streamer.twitchId,
    viewers.slice(0, 3).map(({ twitchId }) => [twitchId, 3600] as const),
  );
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const [first, second, third, fourth, fifth] = viewers as [Person, Person, Person, Person, Person];
  for (const viewer of [first, second, third, fourth]) await claimAs(viewer, many, nowMs);
  const sent = await sendQueued(db, nowMs);
  for (const { id } of sent.slice(0, 2)) await acceptOffer(db, id, await assetsIn(db, id), nowMs);
  for (const { id, offerId } of sent.slice(2, 3))
    await reportOffer(db, id, { offerId, steamState: 'InEscrow' }, nowMs);
  await deposit(db, streamer, [asset('Locked'), asset('Locked')], nowMs - 3 * day);
  await deposit(db, streamer, [asset('Home'), asset('Home')], nowMs - 9 * day);
  // From here on nothing is sent any more.
  await claimAs(fifth, many, nowMs);
  const assets = [asset('Coming')];
  await requestDeposit(db, { requestId: newId(nowMs), userId: streamer.userId, assets }, nowMs, Date.now());
  const home = (await itemsOf(db, streamer.userId)).filter(({ marketHashName }) => marketHashName === 'Home');
  const back = {
    requestId: newId(nowMs),
    userId: streamer.userId,
    itemIds: home.slice(1).map(({ id }) => id),
  };
  const returned = await returnItems(db, back, nowMs);
  if (!returned.ok) throw new Error(returned.code);
});

type Loader = Parameters<Visitor['call']>[0];

const body = async (loader: Loader, path: string, params = {}) =>
  (await visitor.call(loader, path, { params })).body;

type Listed = { id: string; state: string; waiting: number; pool: Record<string, number> };

/** All rows that a list shows, page by page. */
async function rowsOf(loader: Loader, path: string): Promise<Listed[]> {
  const rows: Listed[] = [];
  for (let at: string | null = path; at !== null; ) {
    const { page }: { page: { rows: Listed[]; next: string | null } } = await body(loader, at);
    rows.push(...page.rows);
    at = page.next && `${path}${path.includes('?') ? '&' : '?'}after=${page.next}`;
  }
  return rows;
}

/** The numbers of a page that lead to who got what: where, and how many. */
async function linkedCounts(path: string): Promise<{ list: string; count: number }[]> {
  const { html } = await reader.open(path);
  const links = html.matchAll(
    /<a [^>]*href="(\/rules\/who-got-what\?[^"]*)"[^>]*>[^<]*(?:<!-- -->)*[^<]*<b>(\d+)</g,
  );
  return [...links].map(([, list = '', count]) => ({
    list: list.replaceAll('&amp;', '&'),
    count: Number(count),
  }));
}

const dashboard = async () => (await body(dashboardLoader, '/dashboard')).found.streamer;

test('Each number of rewards by state leads to a list of just as many', async () => {
  const rulePages = ruleIds.slice(0, 2).map((id) => `/rules/${id}`);
  for (const path of ['/dashboard', '/rules', ...rulePages]) {
    const counts = await linkedCounts(path);
    expect(counts.length, path).toBeGreaterThan(0);
    for (const { list, count } of counts)
      expect(await rowsOf(givenLoader, list), `${list} on ${path}`).toHaveLength(count);
  }
  expect((await linkedCounts('/dashboard')).map(({ count }) => count)).toEqual([2, 2, 1, 5]);
  expect((await linkedCounts('/rules')).map(({ count }) => count)).toEqual([2, 1, 5]);
});

test('The dashboard, the list of rules and each rule count the same', async () => {
  const { now } = (await dashboard()).rewards;
  const { rules: _, waiting, ...totals } = (await body(rulesLoader, '/rules')).page.totals;
  const { rules: __, ...live } = now;
  expect(totals).toEqual(live);
  const listed = [
    ...(await rowsOf(rulesLoader, '/rules')),
    ...(await rowsOf(rulesLoader, '/rules?state=closed')),
  ];
  const sum = (of: (rule: Listed) => number) => listed.reduce((all, rule) => all + of(rule), 0);
  for (const state of ['free', 'promised', 'reserved'] as const)
    expect(
      sum(({ pool }) => pool[state] ?? 0),
      state,
    ).toBe(now[state]);
  expect(sum((rule) => (rule.state === 'closed' ? 0 : rule.waiting))).toBe(waiting);
  for (const { id, pool, waiting: inLine } of listed) {
    const page = await body(ruleLoader, `/rules/${id}`, { id });
    expect(page.rule.pool).toEqual(pool);
    expect([page.waiting.rows.length, page.rule.waiting]).toEqual([inLine, inLine]);
    for (const state of ['free', 'promised', 'reserved', 'claimed'] as const) {
      const byKind = page.kinds.reduce(
        (all: number, kind: Record<string, number>) => all + (kind[state] ?? 0),
        0,
      );
      expect(byKind, `${state} in ${page.rule.name}`).toBe(pool[state]);
    }
  }
});

test('Each task leads to as many as it names', async () => {
  const { tasks } = await dashboard();
  const { html } = await reader.open('/dashboard');
  expect(html).toContain('href="/items/custody?state=inCooldown"');
  expect(html).toContain('href="/rules/who-got-what?status=offerSent"');
  const inLine = await rowsOf(rulesLoader, '/rules?need=waiting');
  expect(inLine.reduce((all, rule) => all + rule.waiting, 0)).toBe(tasks.waiting.viewers);
  expect((await rowsOf(rulesLoader, '/rules?need=low')).map(({ id }) => id)).toEqual(
    tasks.lowOnStock.map(({ id }: Listed) => id),
  );
  expect(await rowsOf(givenLoader, '/rules/who-got-what?status=offerSent')).toHaveLength(tasks.offers.offers);
  const { rows } = (await body(custodyLoader, '/items/custody?state=inCooldown')).custody;
  expect(rows).toMatchObject([{ inCooldown: tasks.unlocking.items }]);
});

test('Items in custody, on their way and in open transfers agree on every page', async () => {
  const { totals, rows } = (await body(custodyLoader, '/items/custody')).custody;
  for (const part of ['available', 'inCooldown', 'assigned', 'moving', 'total'])
    expect(rows.reduce((all: number, row: Record<string, number>) => all + (row[part] ?? 0), 0)).toBe(
      totals[part],
    );
  const open = await rowsOf(transfersLoader, '/transfers?phase=open');
  expect((await body(inventoryLoader, '/items')).counts).toMatchObject({ custody: totals.total });
  // Each of these transfers holds one item; the one of the deposit is not in custody yet.
  expect(totals.moving).toBe(open.length - 1);
  const { now } = (await dashboard()).rewards;
  expect(totals.assigned).toBe(now.free + now.promised);
});

test('Transfers are as many as the rewards they carry, in each phase', async () => {
  const listed = async (query: string) => (await rowsOf(transfersLoader, `/transfers${query}`)).length;
  const { now } = (await dashboard()).rewards;
  expect(await listed('?kind=claim&phase=open')).toBe(now.reserved);
  const delivered = await rowsOf(givenLoader, '/rules/who-got-what?status=delivered');
  expect(await listed('?kind=claim&phase=done')).toBe(delivered.length);
  expect(await listed('?kind=claim&phase=ended')).toBe(0);
  const { totals } = (await body(custodyLoader, '/items/custody')).custody;
  expect(await listed('?kind=claim&phase=open')).toBe(
    totals.moving - (await listed('?kind=return&phase=open')),
  );
  const inPhases = await Promise.all(['open', 'done', 'ended'].map((phase) => listed(`?phase=${phase}`)));
  expect(inPhases.reduce((sum, count) => sum + count, 0)).toBe(await listed(''));
});

test('The menu counts what its viewer can claim, and promises show their deadline', async () => {
  const viewer = viewers.at(-1)!;
  const theirs = await visitorOf(viewer.userId);
  const { ready } = (await theirs.call(progressLoader, '/rewardProgress')).body.found;
  expect(ready.length).toBe(await countReadyRewards(db, { userId: viewer.userId }));
  const { html } = await readerLike(theirs).open('/rewardProgress');
  expect(wordsOf(html)).toMatch(new RegExp(`Reward progress\\s+${ready.length}\\b`));
  for (const id of ruleIds.slice(0, 2)) {
    const { rule } = await body(ruleLoader, `/rules/${id}`, { id });
    const page = wordsOf((await reader.open(`/rules/${id}`)).html);
    const open = rule.pool.promised + rule.pool.reserved;
    expect(page.match(/ by \d+ \w+/g)?.length, rule.name).toBe(open);
  }
});
