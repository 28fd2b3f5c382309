import { and, asc, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { recordUsedBots, reportBot } from '#domain/bot/record-used-bots.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { classKeyOf, countStackRoom } from '#domain/transfer/stack-room.ts';
import { waitForRoom } from '#domain/transfer/wait-for-room.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { holderNamed } from '#tests/support/leases.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const stack = (amount: number, facts: Partial<Asset> = {}): Asset =>
  asset('Demo gems', {
    appId: 753,
    contextId: '6',
    classId: '667924416',
    typeTag: 'item_class_7',
    name: amount > 1 ? `Demo gems × ${amount}` : 'Demo gems',
    traits: amount > 1 ? `× ${amount}` : '',
    amount,
    ...facts,
  });
const ofType = (classId: string, amount: number) =>
  stack(amount, { appId: 570, contextId: '2', classId, typeTag: 'tool' });

const request = ({ userId }: Pick<Person, 'userId'>, ...assets: Asset[]) =>
  requestDeposit(db, { requestId: newId(START_MS), userId, assets }, START_MS, Date.now());
const noRoom = { ok: false, code: 'noStackRoom' };

/** The bots of the deposits under way and of the items, with the amounts there. */
async function placesOf() {
  const rows = await db.read
    .select({ botId: transfers.botId, amount: transferItems.amount })
    .from(transfers)
    .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
    .orderBy(asc(transferItems.amount));
  return rows.map(({ botId, amount }) => [botId, amount]);
}

test('A stack is one item with its amount, from the deposit to the offer that gives it', async () => {
  await addBot(db);
  const streamer = await addPerson(db);
  await deposit(db, streamer, [stack(500)]);
  const [item] = await db.read.select().from(items);
  expect(item).toMatchObject({ amount: 500, name: 'Demo gems × 500', traits: '× 500', state: 'held' });
  const asked = { requestId: newId(START_MS), userId: streamer.userId, itemIds: [item?.id ?? ''] };
  const laterMs = START_MS + 8 * day;
  expect(await returnItems(db, asked, laterMs)).toMatchObject({ ok: true });
  const lease = { botId: item?.botId ?? '', holder: 'test' };
  const [leased] = await leaseTransfers(db, lease, laterMs, Date.now());
  expect(leased?.assets).toEqual([
    {
      appId: 753,
      contextId: '2',
      assetId: item?.assetId,
      classId: '667924416',
      typeTag: 'item_class_7',
      amount: 500,
    },
  ]);
});

test('Stacks of one class go to different bots, also within one deposit, and no more than there are bots', async () => {
  const [one, two] = [await addBot(db), await addBot(db)];
  const [first, second, third] = [await addPerson(db), await addPerson(db), await addPerson(db)];
  expect(await request(first, stack(500), stack(300), asset())).toMatchObject({ ok: true });
  const places = await placesOf();
  expect(places.map(([, amount]) => amount)).toEqual([1, 300, 500]);
  expect(new Set([places[1]?.[0], places[2]?.[0]])).toEqual(new Set([one, two]));
  expect(await request(second, stack(200))).toEqual(noRoom);
  expect(await request(third, ofType('7', 4), ofType('8', 5))).toMatchObject({ ok: true });
  expect(await request(second, ofType('7', 2), ofType('7', 3))).toEqual(noRoom);
});

test('A single piece counts where pieces of its type are stacked, and beside a stack of its class', async () => {
  await addBot(db);
  const [first, second] = [await addPerson(db), await addPerson(db)];
  expect(await request(first, stack(1), ofType('7', 1), ofType('7', 1))).toMatchObject({ ok: true });
  expect(await request(second, stack(1))).toEqual(noRoom);
  // A piece whose type Steam does not tell may be one of those, too.
  expect(await request(second, stack(1, { typeTag: '' }))).toEqual(noRoom);
  expect(await request(second, ofType('7', 2))).toEqual(noRoom);
  expect(await request(second, ofType('8', 2))).toMatchObject({ ok: true });
  expect(await request(first, ofType('8', 1))).toEqual(noRoom);
  expect(await request(first, ofType('7', 1))).toMatchObject({ ok: true });
});

test('Stacks are asked for in offers without other assets, each within the account’s share of the room', async () => {
  await addBot(db);
  const others = Array.from({ length: 3 }, () => asset());
  const stacks = Array.from({ length: 120 }, (_, nth) => ofType(String(nth), 2));
  expect(await request(await addPerson(db), ...others, ...stacks)).toMatchObject({ ok: true });
  const rows = await db.read
    .select({ id: transferItems.transferId, amount: transferItems.amount })
    .from(transferItems)
    .orderBy(asc(transferItems.transferId));
  const contents = [...new Set(rows.map(({ id }) => id))].map((offer) =>
    rows.filter(({ id }) => id === offer).map(({ amount }) => amount),
  );
  expect(contents.map((each) => new Set(each).size)).toEqual([1, 1, 1]);
  expect(contents.map(({ length }) => length)).toEqual([3, 100, 20]);
});

test('While a stack of a class is there, single pieces of it are kept apart, too', async () => {
  const [one, two] = [await addBot(db), await addBot(db)];
  const [first, second] = [await addPerson(db), await addPerson(db)];
  expect(await request(first, ofType('8', 5))).toMatchObject({ ok: true });
  expect(await request(second, ofType('8', 1), ofType('8', 1))).toEqual(noRoom);
  expect(await request(second, ofType('8', 1))).toMatchObject({ ok: true });
  expect(new Set((await placesOf()).map(([botId]) => botId))).toEqual(new Set([one, two]));
  expect(await request(second, ofType('8', 1))).toEqual(noRoom);
  // The other game has a class of the same number.
  expect(await request(second, stack(1, { classId: '8' }))).toMatchObject({ ok: true });
});

test('A stack has its place from the request until its trade is final, because it may come back', async () => {
  await addBot(db);
  const [streamer, other] = [await addPerson(db), await addPerson(db)];
  const wanted = stack(500);
  const asked = await request(streamer, wanted);
  expect(await request(other, stack(300))).toEqual(noRoom);
  if (!asked.ok) throw new Error(asked.code);
  await sendQueued(db, START_MS);
  expect(await request(other, stack(300))).toEqual(noRoom);
  await acceptOffer(db, asked.transferId, [wanted], START_MS);
  const [item] = await db.read.select().from(items);
  const itemId = item?.id ?? '';
  const laterMs = START_MS + 8 * day;
  const returned = await returnItems(
    db,
    { requestId: newId(laterMs), userId: streamer.userId, itemIds: [itemId] },
    laterMs,
  );
  if (!returned.ok) throw new Error(returned.code);
  expect(await request(other, stack(300))).toEqual(noRoom);
  await sendQueued(db, laterMs);
  const [returnId = ''] = returned.transferIds;
  await acceptOffer(db, returnId, [{ appId: 753, assetId: item?.assetId ?? '' }], laterMs);
  // The streamer could still reverse it, and the stack would come back.
  expect(await request(other, stack(300))).toEqual(noRoom);
  await reportTransfer(db, returnId, { event: 'settled' }, laterMs);
  expect(await request(other, stack(300))).toMatchObject({ ok: true });
});

test('A deposit that was declined leaves its place to another', async () => {
  await addBot(db);
  const [streamer, other] = [await addPerson(db), await addPerson(db)];
  const asked = await request(streamer, stack(500));
  if (!asked.ok) throw new Error(asked.code);
  await sendQueued(db, START_MS);
  await reportTransfer(db, asked.transferId, { event: 'declined' }, START_MS);
  expect(await request(other, stack(300))).toMatchObject({ ok: true });
});

test('An account that lets its offers run out leaves the place to another, and has it again later', async () => {
  await addBot(db);
  const [greedy, other] = [await addPerson(db), await addPerson(db)];
  const systemMs = Date.now();
  const askAndRefuse = async (person: Person, amount: number, askedMs = systemMs) => {
    const asked = await requestDeposit(
      db,
      { requestId: newId(START_MS), userId: person.userId, assets: [stack(amount)] },
      START_MS,
      askedMs,
    );
    if (!asked.ok) return asked.code;
    await sendQueued(db, START_MS);
    await reportTransfer(db, asked.transferId, { event: 'declined' }, START_MS);
    return 'asked';
  };
  expect(await askAndRefuse(greedy, 100)).toBe('asked');
  expect(await askAndRefuse(greedy, 200)).toBe('asked');
  expect(await askAndRefuse(greedy, 300)).toBe('stackPlacesTooOften');
  expect(await request(greedy, ofType('5', 20))).toMatchObject({ ok: true });
  expect(await askAndRefuse(other, 400)).toBe('asked');
  expect(await askAndRefuse(greedy, 500, systemMs + 4 * hour)).toBe('asked');
});

test('A bot that is offline for a while makes nobody’s share of places smaller', async () => {
  const [one, two] = [await addBot(db), await addBot(db)];
  const used = [one, two].map((botId) => ({ botId, isReady: false }));
  const [lease] = await takeLeases(db, holderNamed('one'), ['steam']);
  await recordUsedBots(db, { epoch: lease?.epoch ?? 0, used }, { nowMs: START_MS, systemMs: Date.now() });
  await reportBot(db, two, { state: 'offline' });
  const streamer = await addPerson(db);
  for (const amount of [2, 3, 4, 5]) {
    const asked = await request(streamer, stack(amount));
    if (!asked.ok) throw new Error(asked.code);
    await sendQueued(db, START_MS);
    await reportTransfer(db, asked.transferId, { event: 'declined' }, START_MS);
  }
  expect(await request(streamer, stack(6))).toEqual({ ok: false, code: 'stackPlacesTooOften' });
});

test('An asset of the class that belongs to no item keeps stacks from its bot', async () => {
  const [one, two] = [await addBot(db), await addBot(db)];
  await recordUnknownAssets(db, { botId: one, appId: 753, found: [stack(37)] }, START_MS);
  expect(await request(await addPerson(db), stack(500))).toMatchObject({ ok: true });
  expect(await placesOf()).toEqual([[two, 500]]);
});

test('The picker is told how many bots have room for one more of each class', async () => {
  const [one] = [await addBot(db), await addBot(db)];
  await recordUnknownAssets(db, { botId: one, appId: 570, found: [ofType('7', 2)] }, START_MS);
  const wanted = [stack(500), ofType('7', 1), ofType('9', 1), asset()];
  const room = await countStackRoom(db.read, wanted, Date.now());
  expect(room).toEqual(
    new Map([
      [classKeyOf(stack(1)), 2],
      ['570/7', 1],
    ]),
  );
});

test('A waiting deposit of a stack is not passed to a bot that has one of its class', async () => {
  const one = await addBot(db);
  const asked = await request(await addPerson(db), stack(500));
  if (!asked.ok) throw new Error(asked.code);
  const [two, three] = [await addBot(db), await addBot(db)];
  await recordUnknownAssets(db, { botId: two, appId: 753, found: [stack(37)] }, START_MS);
  await fill(db, one);
  await waitForRoom(db, { botId: one }, { nowMs: START_MS, systemMs: Date.now() });
  expect(await placesOf()).toContainEqual([three, 500]);
});

test('A waiting deposit of several pieces is not passed on once another bot took a stack of their class', async () => {
  const one = await addBot(db);
  const singles = [1, 2].map(() => stack(1, { typeTag: 'item_class_2' }));
  expect(await request(await addPerson(db), ...singles)).toMatchObject({ ok: true });
  const two = await addBot(db);
  expect(await request(await addPerson(db), stack(500, { typeTag: 'item_class_2' }))).toMatchObject({
    ok: true,
  });
  await addBot(db);
  await fill(db, one);
  await waitForRoom(db, { botId: one }, { nowMs: START_MS, systemMs: Date.now() });
  expect(await placesOf()).toEqual([
    [one, 1],
    [one, 1],
    [two, 500],
  ]);
});

/** Takes the room of a bot for items of Steam itself. */
async function fill(store: Database, botId: string): Promise<void> {
  const { userId } = await addPerson(store);
  await store.transaction(async (tx) => {
    for (let from = 0; from < 900; from += 100)
      await tx.insert(items).values(
        Array.from({ length: 100 }, (_, nth) => ({
          ...stack(1, { classId: '1', typeTag: 'item_class_2' }),
          id: newId(START_MS),
          ownerId: userId,
          botId,
          assetId: `full-${from + nth}`,
          state: 'held' as const,
          lockedUntilMs: START_MS,
          depositorSteamId: '1',
          receivedAtMs: START_MS,
        })),
      );
  });
}

const acts = ['ask', 'accept', 'decline', 'return', 'settle', 'reverse'] as const;
const steps = fc.array(fc.tuple(fc.constantFrom(...acts), fc.nat(5)), { minLength: 15, maxLength: 30 });

/** Carries out one step of a world of stacks of two classes, if there is anything that it concerns. */
async function play(act: (typeof acts)[number], nth: number, nowMs: number): Promise<void> {
  const among = <Row>(rows: Row[]): Row | undefined => rows[nth % Math.max(rows.length, 1)];
  const inState = (...states: (typeof transfers.$inferSelect)['state'][]) =>
    db.read.select().from(transfers).where(within(transfers.state, states)).orderBy(asc(transfers.id));
  if (act === 'ask')
    return void (await request(await addPerson(db), ofType(String(7 + (nth % 2)), Math.max(1, nth - 1))));
  if (act === 'return') {
    const item = among(
      await db.read.select().from(items).where(is(items.state, 'held')).orderBy(asc(items.id)),
    );
    if (item)
      await returnItems(db, { requestId: newId(nowMs), userId: item.ownerId, itemIds: [item.id] }, nowMs);
    return;
  }
  const isOpen = act === 'accept' || act === 'decline';
  if (isOpen) await sendQueued(db, nowMs);
  const transfer = among(await (isOpen ? inState('sent') : inState('accepted')));
  if (!transfer) return;
  const moved = await db.read.select().from(transferItems).where(eq(transferItems.transferId, transfer.id));
  if (act === 'accept') await acceptOffer(db, transfer.id, moved, nowMs);
  else if (act === 'decline') await reportTransfer(db, transfer.id, { event: 'declined' }, nowMs);
  else if (act === 'settle') await reportTransfer(db, transfer.id, { event: 'settled' }, nowMs);
  else await reportTransfer(db, transfer.id, { event: 'reversed', moved: [], stayed: [] }, nowMs);
}

/**
 * The number of assets of each class at each bot, with those that may still come or come back, and the classes of which any
 * is a stack.
 */
async function assetsAtBots(): Promise<{ counts: Map<string, number>; stacked: Set<string> }> {
  const held = await db.read
    .select({ botId: items.botId, classId: items.classId, amount: items.amount })
    .from(items)
    .where(within(items.state, ['held', 'outgoing', 'missing', 'delivered']));
  const coming = await db.read
    .select({ botId: transfers.botId, classId: transferItems.classId, amount: transferItems.amount })
    .from(transfers)
    .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
    .where(and(within(transfers.state, liveTransferStates), is(transfers.kind, 'deposit')));
  const all = [...held, ...coming];
  const counts = new Map<string, number>();
  for (const { botId, classId } of all)
    counts.set(`${botId} ${classId}`, (counts.get(`${botId} ${classId}`) ?? 0) + 1);
  return { counts, stacked: new Set(all.flatMap(({ classId, amount }) => (amount > 1 ? [classId] : []))) };
}

test('Whatever happens to stacks in whatever order, no bot ever gets a second of a class with a stack, and some are always taken', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (played) => {
      const ended = db;
      db = await openTestDatabase();
      await ended.close();
      for (let bots = 0; bots < 2; bots++) await addBot(db);
      let nowMs = START_MS;
      for (const [act, nth] of [['ask', 0] as const, ...played]) {
        nowMs += 9 * day;
        const before = await assetsAtBots();
        await play(act, nth, nowMs);
        const { counts, stacked } = await assetsAtBots();
        // Single pieces may have come together while there was no stack of their class.
        for (const [place, count] of counts)
          if (stacked.has(place.split(' ')[1] ?? ''))
            expect(count).toBeLessThanOrEqual(Math.max(1, before.counts.get(place) ?? 0));
      }
      expect(await db.read.$count(transfers)).toBeGreaterThan(0);
    }),
    { numRuns: 15 },
  );
});
