import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { BOT_CAPACITY } from '#domain/transfer/game-room.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { listTakingBots } from '#domain/transfer/spread-deposit.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addStreamer,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, ledgerOf, stepsOf, transferOf } from '#tests/support/looking.ts';

let db: TestDatabase;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  streamer = await addStreamer(db);
});
afterEach(() => db.close());

const request = (assets: ReturnType<typeof asset>[], facts: { requestId?: string; userId?: string } = {}) =>
  requestDeposit(
    db,
    { requestId: newId(START_MS), userId: streamer.userId, assets, ...facts },
    START_MS,
    Date.now(),
  );

test('An accepted deposit becomes items in custody, under the ids from Steam', async () => {
  const botId = await addBot(db);
  const wanted = [asset('Demo case'), asset('Demo key')];
  const requested = await request(wanted);
  if (!requested.ok) throw new Error(requested.code);
  await sendQueued(db, START_MS);
  expect(await itemsOf(db, streamer.userId)).toEqual([]);
  await acceptOffer(db, requested.transferId, wanted, START_MS + minute);

  const held = await itemsOf(db, streamer.userId);
  const rows = await assetsIn(db, requested.transferId);
  expect(held.map(({ marketHashName }) => marketHashName).sort()).toEqual(['Demo case', 'Demo key']);
  for (const item of held) {
    expect(item).toMatchObject({ state: 'held', botId, depositorSteamId: streamer.steamId });
    const row = rows.find(({ itemId }) => itemId === item.id);
    expect(row?.newAssetId).toBe(item.assetId);
    expect(row?.assetId).not.toBe(item.assetId);
    expect(await ledgerOf(db, item.id)).toMatchObject([
      {
        fromHolder: 'outside',
        toHolder: `held:${botId}`,
        cause: 'deposit',
        transferId: requested.transferId,
      },
    ]);
  }
  expect(rows.map(({ open }) => open)).toEqual([false, false]);
  expect(await stepsOf(db, requested.transferId)).toEqual(['requested', 'started', 'sent', 'accepted']);
});

test('A deposit is locked for seven days, or until Steam’s date if that is later', async () => {
  await addBot(db);
  const wanted = [asset(), asset(), asset()];
  const requested = await request(wanted);
  if (!requested.ok) throw new Error(requested.code);
  const [sent] = await sendQueued(db, START_MS);
  const steamsDates = [undefined, START_MS + 3 * day, START_MS + 8 * day];
  const moved = wanted.map(({ appId, assetId }, place) => ({
    appId,
    assetId,
    newAssetId: `new-${place}`,
    newContextId: '16',
    ...(steamsDates[place] && { protectedUntilMs: steamsDates[place] }),
  }));
  const report = { offerId: sent?.offerId ?? '', steamState: 'Accepted', moved } as const;
  await reportOffer(db, requested.transferId, report, START_MS);
  const held = await itemsOf(db, streamer.userId);
  const untilOf = (assetId: string) => held.find((item) => item.assetId === assetId)?.lockedUntilMs;
  expect(untilOf('new-0')).toBe(START_MS + 7 * day);
  expect(untilOf('new-1')).toBe(START_MS + 7 * day);
  expect(untilOf('new-2')).toBe(START_MS + 8 * day);
});

test('Assets of two games with the same id stay separate', async () => {
  await addBot(db);
  const assetId = '4242';
  const wanted = [asset('Demo case', { appId: 730, assetId }), asset('Demo hat', { appId: 440, assetId })];
  const transferId = await deposit(db, streamer, wanted);
  const held = await itemsOf(db, streamer.userId);
  const rows = await assetsIn(db, transferId);
  expect(rows).toHaveLength(2);
  for (const row of rows)
    expect(held.find(({ id }) => id === row.itemId)?.marketHashName).toBe(row.marketHashName);
});

test('An acceptance that does not cover every asset changes nothing', async () => {
  await addBot(db);
  const wanted = [asset(), asset()];
  const requested = await request(wanted);
  if (!requested.ok) throw new Error(requested.code);
  await sendQueued(db, START_MS);
  const partly = acceptOffer(db, requested.transferId, wanted.slice(0, 1), START_MS);
  await expect(partly).rejects.toThrow('accepted without asset');
  expect((await transferOf(db, requested.transferId)).state).toBe('sent');
  expect(await itemsOf(db, streamer.userId)).toEqual([]);
});

test('Submitting the same deposit again returns the first', async () => {
  await addBot(db);
  const [requestId, assets] = [newId(START_MS), [asset()]];
  const first = await request(assets, { requestId });
  expect(first).toEqual({ ok: true, transferId: requestId });
  expect(await request(assets, { requestId })).toEqual(first);
  expect(await request([asset()], { requestId })).toEqual(first);
  expect(await db.read.select().from(transfers)).toHaveLength(1);
});

test('Two concurrent submits of the same deposit create one transfer', async () => {
  await addBot(db);
  const [requestId, assets] = [newId(START_MS), [asset()]];
  const answers = await Promise.all([request(assets, { requestId }), request(assets, { requestId })]);
  expect(answers).toEqual([
    { ok: true, transferId: requestId },
    { ok: true, transferId: requestId },
  ]);
  expect(await db.read.select().from(transfers)).toHaveLength(1);
});

test('Another user’s request id neither returns nor changes their transfer', async () => {
  await addBot(db);
  const other = await addPerson(db);
  const requestId = newId(START_MS);
  await request([asset()], { requestId });
  const before = await transferOf(db, requestId);
  expect((await request([asset()], { requestId, userId: other.userId })).ok).toBe(false);
  expect(await transferOf(db, requestId)).toEqual(before);
  expect(await assetsIn(db, requestId)).toHaveLength(1);
});

test('An asset is in one open offer at most, and free again when that offer has ended', async () => {
  await addBot(db);
  const [busy, other] = [asset(), asset()];
  const first = await request([busy]);
  if (!first.ok) throw new Error(first.code);
  expect(await request([other, busy])).toEqual({ ok: false, code: 'assetBusy' });
  expect(await request([other, other])).toEqual({ ok: false, code: 'assetBusy' });
  expect(await db.read.select().from(transfers)).toHaveLength(1);
  await sendQueued(db, START_MS);
  await reportTransfer(db, first.transferId, { event: 'declined' }, START_MS);
  expect((await request([other, busy])).ok).toBe(true);
});

test('An empty selection, or one too large, is refused before anything is written', async () => {
  await addBot(db);
  expect(await request([])).toEqual({ ok: false, code: 'nothingPicked' });
  const many = Array.from({ length: 5001 }, () => asset());
  expect(await request(many)).toEqual({ ok: false, code: 'tooManyItems' });
  expect((await request(many.slice(0, 100))).ok).toBe(true);
});

const ofBatch = async () =>
  (await db.read.select().from(transfers).orderBy(transfers.id)).map(({ id, state, batchId, botId }) => ({
    id,
    state,
    batchId,
    botId,
  }));

test('A deposit of thousands is a batch of offers over several bots', async () => {
  for (let bots = 0; bots < 3; bots++) await addBot(db);
  const many = Array.from({ length: 2050 }, () => asset());
  const requested = await request(many);
  if (!requested.ok) throw new Error(requested.code);
  const queued = await ofBatch();
  expect(queued).toHaveLength(21);
  expect(new Set(queued.map(({ batchId }) => batchId))).toEqual(new Set([requested.transferId]));
  expect(new Set(queued.map(({ botId }) => botId)).size).toBe(3);
  for (const { id } of queued) expect((await assetsIn(db, id)).length).toBeLessThanOrEqual(100);
  expect(await request(many.slice(0, 1))).toEqual({ ok: false, code: 'assetBusy' });
  expect(await request([asset()])).toMatchObject({ ok: true });
  expect(await request([asset()])).toEqual({ ok: false, code: 'tooManyDeposits' });
});

test('A batch that does not fit is refused whole', async () => {
  await addBot(db);
  const many = Array.from({ length: 1000 }, () => asset());
  expect(await request(many)).toEqual({ ok: false, code: 'botsFull' });
  expect(await ofBatch()).toEqual([]);
});

test('A batch goes on as its offers are accepted, and ends with one that is not', async () => {
  const botId = await addBot(db);
  const many = Array.from({ length: 650 }, () => asset());
  await request(many);
  const lease = () => leaseTransfers(db, { botId, holder: 'test', limit: 100 }, START_MS, Date.now());
  const [first, ...more] = await lease();
  expect(more).toEqual([]);
  const send = (id: string) => reportTransfer(db, id, { event: 'sent', offerId: id }, START_MS);
  await send(first!.id);
  expect(await transferOf(db, first!.id)).toMatchObject({ cancelAtMs: START_MS + 30 * minute });
  await acceptOffer(db, first!.id, first!.assets, START_MS);
  const [second, third, ...others] = await lease();
  expect([third?.assets.length, others]).toEqual([100, []]);
  await send(second!.id);
  await reportTransfer(db, second!.id, { event: 'declined' }, START_MS);
  expect((await ofBatch()).map(({ state }) => state).toSorted()).toEqual([
    'accepted',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
    'declined',
    'sending',
  ]);
  expect(await lease()).toEqual([]);
});

test('What is being sent when its batch ends is not sent again, and is cancelled once it is on Steam', async () => {
  const bots = [await addBot(db), await addBot(db)];
  await deposit(db, streamer, [asset()]);
  await request(Array.from({ length: 350 }, () => asset()));
  const lease = async () => {
    const leased = [];
    for (const botId of bots)
      leased.push(...(await leaseTransfers(db, { botId, holder: 'test', limit: 100 }, START_MS, Date.now())));
    return leased;
  };
  const [ending, deferred, uncertain, arriving] = (await lease()).map(({ id }) => id);
  await reportTransfer(db, ending!, { event: 'sent', offerId: '1' }, START_MS);
  await reportTransfer(db, uncertain!, { event: 'answerLost', error: 'answerLost' }, START_MS);
  await reportTransfer(db, ending!, { event: 'declined' }, START_MS);
  await reportTransfer(db, deferred!, { event: 'deferred', runAtMs: START_MS }, START_MS);
  await reportTransfer(db, uncertain!, { event: 'provenAbsent', runAtMs: START_MS }, START_MS);
  await reportTransfer(db, arriving!, { event: 'sent', offerId: '2' }, START_MS);
  expect(await lease()).toEqual([]);
  for (const id of [deferred!, uncertain!, arriving!])
    expect(await transferOf(db, id)).toMatchObject({ cancelWanted: true, lastError: 'batchEnded' });
});

test('An account may have two deposits under way, and four once one of them was accepted', async () => {
  await addBot(db);
  const ask = async () => (await request([asset()])).ok;
  const [first, second] = [[asset()], [asset()]];
  const one = await request(first);
  const again = await request(second);
  if (!one.ok || !again.ok) throw new Error('the first two were refused');
  expect(await request([asset()])).toEqual({ ok: false, code: 'tooManyDeposits' });
  await sendQueued(db, START_MS);
  await acceptOffer(db, one.transferId, first, START_MS);
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([true, true, true, false]);
  await reportTransfer(db, again.transferId, { event: 'cancelled' }, START_MS);
  expect(await ask()).toBe(true);
});

test('A user without a Steam account or trade link cannot deposit', async () => {
  await addBot(db);
  const [noSteam, noLink] = [
    await addPerson(db, { steam: false }),
    await addPerson(db, { tradeToken: null }),
  ];
  expect(await request([asset()], noSteam)).toEqual({ ok: false, code: 'steamNotLinked' });
  expect(await request([asset()], noLink)).toEqual({ ok: false, code: 'tradeLinkMissing' });
});

test('The ready bot with the most room takes a deposit, including running offers', async () => {
  const [one, two] = [await addBot(db), await addBot(db)];
  await deposit(db, streamer, [asset(), asset()]);
  const loads = async () => {
    const rows = await db.read.select({ botId: transfers.botId }).from(transfers);
    return [one, two].map((bot) => rows.filter(({ botId }) => botId === bot).length);
  };
  expect(await loads()).toEqual([1, 0]);
  await request([asset(), asset(), asset()]);
  expect(await loads()).toEqual([1, 1]);
  await request([asset()]);
  expect(await loads()).toEqual([2, 1]);
});

test('A silent, unready or full bot takes nothing', async () => {
  const botId = await addBot(db);
  const change = (facts: Partial<typeof bots.$inferInsert>) =>
    db.transaction(async (tx) => {
      await tx.update(bots).set(facts).where(eq(bots.id, botId));
    });
  const nobody = { ok: false, code: 'noBotAvailable' };
  await change({ heartbeatAtMs: Date.now() - 2 * minute });
  expect(await request([asset()])).toEqual(nobody);
  await change({ heartbeatAtMs: Date.now(), state: 'broken' });
  expect(await request([asset()])).toEqual(nobody);
  await change({ state: 'ready' });
  await deposit(db, streamer, [asset()]);
  await db.transaction(async (tx) => {
    const [held] = await tx.select().from(items);
    if (!held) throw new Error('nothing is held');
    const rows = Array.from({ length: BOT_CAPACITY - 3 }, (_, n) => ({
      ...held,
      id: newId(START_MS),
      assetId: `full-${n}`,
    }));
    for (let from = 0; from < rows.length; from += 200)
      await tx.insert(items).values(rows.slice(from, from + 200));
  });
  expect(await request([asset(), asset(), asset()])).toEqual({ ok: false, code: 'botsFull' });
  expect((await request([asset(), asset()])).ok).toBe(true);
});

test('New ids go to the assets of their own game and transfer', async () => {
  await addBot(db);
  const alike = { assetId: '4711' };
  const wanted = [asset('Demo case', alike), asset('Demo hat', { ...alike, appId: 440 })];
  const refused = await request(wanted);
  if (!refused.ok) throw new Error(refused.code);
  await sendQueued(db, START_MS);
  await reportTransfer(db, refused.transferId, { event: 'declined' }, START_MS);
  const again = await request(wanted);
  if (!again.ok) throw new Error(again.code);
  await sendQueued(db, START_MS);
  await acceptOffer(db, again.transferId, wanted, START_MS);
  const [hat, rifle] = await assetsIn(db, again.transferId);
  const held = await itemsOf(db, streamer.userId);
  for (const row of [hat!, rifle!]) {
    const item = held.find(({ appId }) => appId === row.appId);
    expect([row.itemId, row.newAssetId]).toEqual([item?.id, item?.assetId]);
  }
  expect(hat?.newAssetId).not.toBe(rifle?.newAssetId);
  for (const row of await assetsIn(db, refused.transferId))
    expect([row.itemId, row.newAssetId]).toEqual([null, null]);
});

test('A deposit that becomes final later leaves an item alone that was delivered meanwhile', async () => {
  const botId = await addBot(db);
  const depositId = await deposit(db, streamer, [asset()], START_MS - 8 * day);
  const [item] = await itemsOf(db, streamer.userId);
  const returned = await returnItems(
    db,
    { requestId: newId(START_MS), userId: streamer.userId, itemIds: [item!.id] },
    START_MS,
  );
  if (!returned.ok) throw new Error(returned.code);
  await sendQueued(db, START_MS);
  await acceptOffer(db, returned.transferIds[0]!, [item!], START_MS);
  await reportTransfer(db, depositId, { event: 'settled' }, START_MS);
  expect((await itemsOf(db, streamer.userId))[0]).toMatchObject({ state: 'delivered', botId });
});

test('A bot has room for what it has given away, and for returns that are on their way', async () => {
  await addBot(db);
  const [saved, given] = [asset(), asset()];
  await deposit(db, streamer, [saved, given], START_MS - 8 * day);
  const held = await itemsOf(db, streamer.userId);
  const giveBack = (itemId: string) =>
    returnItems(db, { requestId: newId(START_MS), userId: streamer.userId, itemIds: [itemId] }, START_MS);
  const free = async () => (await listTakingBots(db.read, Date.now())).map((bot) => bot.freeIn(730));
  expect(await free()).toEqual([BOT_CAPACITY - 2]);
  const gone = await giveBack(held[0]!.id);
  if (!gone.ok) throw new Error(gone.code);
  expect(await free()).toEqual([BOT_CAPACITY - 2]);
  await sendQueued(db, START_MS);
  await acceptOffer(db, gone.transferIds[0]!, [held[0]!], START_MS);
  expect(await free()).toEqual([BOT_CAPACITY - 1]);
});
