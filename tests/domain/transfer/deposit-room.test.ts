import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { transfers } from '#db/schema/transfer.ts';
import { depositBudget, shareOfRoom } from '#domain/budget/budgets.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { DepositRoom } from '#domain/transfer/deposit-room.ts';
import { BOT_CAPACITY } from '#domain/transfer/game-room.ts';
import { type LeasedTransfer, leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { spreadDeposit } from '#domain/transfer/spread-deposit.ts';
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
import { stepsOf, transferOf } from '#tests/support/looking.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const CS2 = 730;

const some = (count: number): Asset[] => Array.from({ length: count }, () => asset());

async function request({ userId }: Pick<Person, 'userId'>, count: number): Promise<string> {
  const wanted = { requestId: newId(START_MS), userId, assets: some(count) };
  const requested = await requestDeposit(db, wanted, START_MS, Date.now());
  if (!requested.ok) throw new Error(requested.code);
  return requested.transferId;
}

const lease = (botId: string, limit = 1): Promise<LeasedTransfer[]> =>
  leaseTransfers(db, { botId, holder: 'test', limit }, START_MS, Date.now());

/** Asks for a deposit and cancels it until it is refused; the number of offers that were asked for, and the refusal. */
async function askAndCancel({ userId }: Person, systemMs: number): Promise<[number, string]> {
  for (let asked = 0; asked < 500; asked++) {
    const wanted = { requestId: newId(START_MS), userId, assets: some(1) };
    const requested = await requestDeposit(db, wanted, START_MS, systemMs);
    if (!requested.ok) return [asked, requested.code];
    await cancelTransfer(db, { transferId: requested.transferId, userId }, START_MS);
  }
  return [500, 'never refused'];
}

test('Whoever asks for deposits and cancels them without end is refused for an hour; others go on', async () => {
  await addBot(db);
  const [greedy, known, ordinary] = [await addPerson(db), await addKnown(), await addPerson(db)];
  const systemMs = Date.now();
  expect(await askAndCancel(greedy, systemMs)).toEqual([20, 'depositsTooOften']);
  expect(await askAndCancel(known, systemMs)).toEqual([59, 'depositsTooOften']);
  await request(ordinary, 1);
  expect(await askAndCancel(greedy, systemMs + hour - 1)).toEqual([0, 'depositsTooOften']);
  expect(await askAndCancel(greedy, systemMs + hour)).toEqual([20, 'depositsTooOften']);
});

test('What the bots could not take does not count as asked for', async () => {
  const botId = await addBot(db);
  const person = await addPerson(db);
  const ask = (count: number) =>
    requestDeposit(
      db,
      { requestId: newId(START_MS), userId: person.userId, assets: some(count) },
      START_MS,
      Date.now(),
    );
  for (let asked = 0; asked < 25; asked++) expect(await ask(1000)).toEqual({ ok: false, code: 'botsFull' });
  expect(await ask(1)).toMatchObject({ ok: true });
  expect(await lease(botId)).toHaveLength(1);
});

const idsOf = (leased: readonly LeasedTransfer[]) => leased.map(({ id }) => id);

/** Somebody who may have four offers open, because one of their deposits was accepted. */
async function addKnown(): Promise<Person> {
  const person = await addPerson(db);
  await deposit(db, person, [asset()]);
  return person;
}

/** Fills a bot until it has room for so many items. */
async function leave(botId: string, free: number): Promise<void> {
  const owner = await addPerson(db);
  const place = { ownerId: owner.userId, botId, state: 'held', depositorSteamId: owner.steamId } as const;
  await db.transaction(async (tx) => {
    const held = await tx.$count(items, eq(items.botId, botId));
    const rows = some(BOT_CAPACITY - free - held).map((facts) => ({
      ...facts,
      ...place,
      id: newId(START_MS),
      lockedUntilMs: START_MS,
      receivedAtMs: START_MS,
    }));
    for (let from = 0; from < rows.length; from += 200)
      await tx.insert(items).values(rows.slice(from, from + 200));
  });
}

test('Two deposits that would fill the only bot, unanswered, leave room for the next account’s', async () => {
  const botId = await addBot(db);
  const attacker = await addPerson(db);
  await request(attacker, 870);
  await request(attacker, 870);
  await sendQueued(db, START_MS);
  const depositor = await addPerson(db);
  const wanted = await request(depositor, 90);
  expect(idsOf(await lease(botId))).toEqual([wanted]);
});

test('Whoever has delivered before, and asks for all they may, takes a quarter of what others leave free', async () => {
  const botId = await addBot(db);
  const asked: number[] = [];
  for (let nth = 0; nth < 4; nth++) {
    const known = await addKnown();
    await request(known, 800);
    const leased = await lease(botId, 100);
    asked.push(leased.reduce((sum, { assets }) => sum + assets.length, 0));
  }
  expect(asked).toEqual([200, 100, 100, 100]);
  expect(idsOf(await lease(botId))).toEqual([]);
});

test('A bot that is nearly full is shared too: what one account asks for at once is cut to its share', async () => {
  const botId = await addBot(db);
  await leave(botId, 100);
  const [one, other] = [await addPerson(db), await addPerson(db)];
  await request(one, 100);
  const second = await request(other, 25);
  const first = await lease(botId);
  expect(first.map(({ assets }) => assets.length)).toEqual([25]);
  expect(idsOf(await lease(botId, 100))).toEqual([second]);
});

test('A batch of ten offers waits behind another account’s first', async () => {
  const botId = await addBot(db);
  const [patient, other] = [await addKnown(), await addKnown()];
  await request(patient, 890);
  const wanted = await request(other, 40);
  const [first] = await lease(botId);
  expect(await transferOf(db, first!.id)).toMatchObject({ userId: patient.userId });
  expect(idsOf(await lease(botId))).toEqual([wanted]);
  const [third] = await lease(botId);
  expect(await transferOf(db, third!.id)).toMatchObject({ userId: patient.userId });
});

test('What finds no room says so once, and goes on as soon as an offer is declined', async () => {
  const botId = await addBot(db);
  await leave(botId, 20);
  const open = [await request(await addPerson(db), 10), await request(await addPerson(db), 10)] as const;
  await sendQueued(db, START_MS);
  const waiting = await request(await addPerson(db), 7);
  expect(await lease(botId)).toEqual([]);
  const times = { nowMs: START_MS, systemMs: Date.now() };
  for (let twice = 0; twice < 2; twice++) await waitForRoom(db, { botId }, times);
  expect(await stepsOf(db, waiting)).toEqual(['requested', 'waitsForRoom']);
  expect(await transferOf(db, waiting)).toMatchObject({ state: 'queued', lastError: 'noRoom' });
  await reportTransfer(db, open[1], { event: 'declined' }, START_MS);
  expect(idsOf(await lease(botId))).toEqual([waiting]);
});

test.each(['expired', 'cancelled', 'invalidated'] as const)(
  'An offer that ended as %s takes no room',
  async (event) => {
    const botId = await addBot(db);
    await leave(botId, 10);
    const open = await request(await addPerson(db), 10);
    await sendQueued(db, START_MS);
    const waiting = await request(await addPerson(db), 9);
    expect(await lease(botId)).toEqual([]);
    await reportTransfer(db, open, { event }, START_MS);
    expect(idsOf(await lease(botId))).toEqual([waiting]);
  },
);

test('What only waits takes no room, and none is kept for it once it is withdrawn', async () => {
  const botId = await addBot(db);
  await leave(botId, 12);
  const [one, other] = [await addPerson(db), await addPerson(db)];
  const first = await request(one, 12);
  const second = await request(other, 11);
  await cancelTransfer(db, { transferId: first, userId: one.userId }, START_MS);
  const leased = await lease(botId);
  expect(leased.map(({ assets }) => assets.length)).toEqual([10]);
  expect(idsOf(leased)).toEqual([second]);
});

test('An offer whose answer was lost keeps its room until it is known not to exist', async () => {
  const botId = await addBot(db);
  await leave(botId, 10);
  await request(await addPerson(db), 10);
  const [lost] = await lease(botId);
  await reportTransfer(db, lost!.id, { event: 'answerLost', error: 'answerLost' }, START_MS);
  const waiting = await request(await addPerson(db), 8);
  expect(await lease(botId)).toEqual([]);
  const absent = { event: 'provenAbsent', runAtMs: START_MS + minute } as const;
  await reportTransfer(db, lost!.id, absent, START_MS);
  expect(idsOf(await lease(botId))).toEqual([waiting]);
});

test('A deposit that waits at a full bot passes to one that has room', async () => {
  const [full, roomy] = [await addBot(db), await addBot(db)];
  await leave(full, 10);
  await leave(roomy, 0);
  await request(await addPerson(db), 10);
  await lease(full);
  const waiting = await request(await addPerson(db), 8);
  const at = async () => (await transferOf(db, waiting)).botId;
  const wait = () => waitForRoom(db, { botId: full }, { nowMs: START_MS, systemMs: Date.now() });
  await wait();
  expect([await at(), await stepsOf(db, waiting)]).toEqual([full, ['requested', 'waitsForRoom']]);
  await db.transaction(async (tx) => {
    await tx.update(items).set({ state: 'gone' }).where(eq(items.botId, roomy));
  });
  await wait();
  expect(await at()).toBe(roomy);
  expect(idsOf(await lease(roomy))).toEqual([waiting]);
});

test('Two bots that look at once do not together exceed what one account may ask for', async () => {
  const bots = [await addBot(db), await addBot(db)];
  const newcomer = await addPerson(db);
  const wanted = [await request(newcomer, 70), await request(newcomer, 60)];
  const leased = (await Promise.all(bots.map((botId) => lease(botId, 5)))).flat();
  expect(leased).toHaveLength(1);
  expect(wanted).toContain(leased[0]!.id);
});

test('Two processes that look at once do not both give away the last room', async () => {
  const botId = await addBot(db);
  await leave(botId, 10);
  for (const size of [9, 8]) await request(await addPerson(db), size);
  const leased = await Promise.all([lease(botId), lease(botId)]);
  expect(leased.flat()).toHaveLength(1);
});

test('Two accounts that ask at once both wait or are served; neither is refused', async () => {
  const botId = await addBot(db);
  await leave(botId, 10);
  const people = [await addPerson(db), await addPerson(db)];
  const [one, other] = await Promise.all(people.map((person, nth) => request(person, 9 - nth)));
  const [first] = await lease(botId);
  expect([one, other]).toContain(first!.id);
  await reportTransfer(db, first!.id, { event: 'sent', offerId: '7' }, START_MS);
  await acceptOffer(db, first!.id, first!.assets, START_MS);
  const [waiting] = await db.read.select().from(transfers).where(is(transfers.state, 'queued'));
  expect(waiting?.id).toBe(one === first!.id ? other : one);
});

test('Whoever asks for what, no bot is asked to take more than fits, and no account has more than its budget', () => {
  const deposits = fc.array(
    fc.record({
      account: fc.nat({ max: 5 }),
      size: fc.integer({ min: 1, max: 300 }),
      bot: fc.nat({ max: 1 }),
    }),
    { maxLength: 60 },
  );
  const helds = fc.tuple(fc.nat({ max: BOT_CAPACITY }), fc.nat({ max: BOT_CAPACITY }));
  fc.assert(
    fc.property(
      helds,
      deposits,
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      (held, asked, known) => {
        const heldBy = new Map(held.map((count, bot) => [`bot-${bot}`, count]));
        const freeAt = (botId: string) => BOT_CAPACITY - heldBy.get(botId)!;
        const room = new DepositRoom({ freeAt }, []);
        const open: { account: number; botId: string; size: number }[] = [];
        const sizeOf = (rows: typeof open) => rows.reduce((sum, { size }) => sum + size, 0);
        for (const { account, size, bot } of asked) {
          const botId = `bot-${bot}`;
          const free = freeAt(botId);
          const only = { botId, freeIn: () => free, comingIn: () => 0 };
          const [part] = spreadDeposit(new Map([[CS2, size]]), [only]) ?? [];
          if (!part) continue;
          const { contents } = part;
          const wanted = { userId: `user-${account}`, hasDeposited: known[account]!, contents };
          const others =
            free - sizeOf(open.filter((each) => each.botId === botId && each.account !== account));
          if (!room.fits(wanted, botId)) continue;
          room.add({ ...wanted, botId });
          open.push({ account, botId, size: contents.get(CS2) ?? 0 });
          const own = open.filter((each) => each.account === account);
          const budget = depositBudget(known[account]!);
          expect(own.length).toBeLessThanOrEqual(budget.atOnce);
          expect(sizeOf(own)).toBeLessThanOrEqual(budget.unansweredItems);
          expect(sizeOf(open.filter((each) => each.botId === botId))).toBeLessThanOrEqual(free);
          if (own.length > 1)
            expect(sizeOf(own.filter((each) => each.botId === botId))).toBeLessThanOrEqual(
              shareOfRoom(others),
            );
          expect(room.leftAt(botId, CS2)).toBe(free - sizeOf(open.filter((each) => each.botId === botId)));
        }
      },
    ),
  );
});

test('A deposit is spread whole or not at all, in parts that no bot’s share is too small for', () => {
  const bots = fc.array(
    fc.record({ free: fc.integer({ min: -5, max: 900 }), coming: fc.nat({ max: 2000 }) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(bots, fc.integer({ min: 1, max: 5000 }), (rooms, size) => {
      const taking = rooms.map(({ free, coming }, nth) => ({
        botId: `bot-${nth}`,
        free,
        freeIn: () => free,
        comingIn: () => coming,
      }));
      const spread = spreadDeposit(new Map([[CS2, size]]), taking);
      const parts = spread?.map(({ botId, contents }) => ({ botId, size: contents.get(CS2) ?? 0 })) ?? null;
      const all = taking.reduce((sum, { free }) => sum + Math.max(0, free), 0);
      expect(parts !== null).toBe(size <= all);
      expect((parts ?? []).reduce((sum, part) => sum + part.size, 0)).toBe(parts ? size : 0);
      for (const { botId, free } of taking) {
        const own = (parts ?? []).filter((part) => part.botId === botId).map((part) => part.size);
        expect(own.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(Math.max(0, free));
        for (const each of own) expect(each).toBeLessThanOrEqual(Math.min(100, shareOfRoom(free)));
      }
    }),
  );
});
