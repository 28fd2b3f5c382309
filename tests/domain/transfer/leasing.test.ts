import { eq, ne } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { bots } from '#db/schema/bot.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { listBusyAssets } from '#domain/transfer/list-busy-assets.ts';
import { listKnownOffers } from '#domain/transfer/list-known-offers.ts';
import { nextQueuedMs, nextSendingEndMs } from '#domain/transfer/next-transfer-due.ts';
import { MAX_OPEN_OFFERS, ownPlaces } from '#domain/transfer/offer-limits.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import {
  addBot,
  addPerson,
  addStreamer,
  asset,
  deposit,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { itemsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const request = (requestId: string, assets = [asset()], { userId } = streamer) =>
  requestDeposit(db, { requestId, userId, assets }, START_MS, Date.now());
const lease = (limit?: number) =>
  leaseTransfers(db, { botId, holder: 'one', ...(limit && { limit }) }, START_MS, Date.now());

test('A process takes no more transfers than it can send now: the rest stays free to be withdrawn', async () => {
  for (let nth = 0; nth < 3; nth++) await request(newId(START_MS), [asset()], await addPerson(db));
  expect(await lease(1)).toHaveLength(1);
  expect(await lease(1)).toHaveLength(1);
  expect(await lease(5)).toHaveLength(1);
});

test('A claim that depends on nothing that may end is sent without asking Twitch', async () => {
  const viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  expect(await lease()).toMatchObject([{ kind: 'claim', partnerSteamId: viewer.steamId }]);
});

test('A deposit asked for again gets the first answer, even when no bot could take it now', async () => {
  const requestId = newId(START_MS);
  const assets = [asset()];
  expect(await request(requestId, assets)).toEqual({ ok: true, transferId: requestId });
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ state: 'offline' });
  });
  expect(await request(requestId, assets)).toEqual({ ok: true, transferId: requestId });
  expect(await request(newId(START_MS))).toEqual({ ok: false, code: 'noBotAvailable' });
});

test('An item in a deposit under way cannot be picked again until the deposit has ended', async () => {
  const busy = async (userId = streamer.userId) => [...(await listBusyAssets(db, { userId }))];
  const item = asset('Demo hat', { appId: 440 });
  await request(newId(START_MS), [item]);
  expect(await busy()).toEqual([`440/${item.assetId}`]);
  expect(await busy((await addPerson(db)).userId)).toEqual([]);
  const [leased] = await lease();
  await reportTransfer(db, leased!.id, { event: 'refused', error: 'tradeBanned' }, START_MS);
  expect(await busy()).toEqual([]);
});

test('What was put off longest ago comes first, and of what came together the first', async () => {
  const ids = [newId(START_MS), newId(START_MS), newId(START_MS)];
  for (const id of ids) await request(id, [asset()], await addPerson(db));
  const [first] = await lease(1);
  expect(first!.id).toBe(ids[0]);
  await reportTransfer(db, first!.id, { event: 'deferred', runAtMs: START_MS + 1 }, START_MS);
  const leased = await leaseTransfers(db, { botId, holder: 'one' }, START_MS + 1, Date.now());
  expect(leased.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]]);
});

test('A lease counts an attempt of its own transfer only', async () => {
  const ids = [newId(START_MS), newId(START_MS)];
  for (const id of ids) await request(id);
  await lease(1);
  const attempts = await Promise.all(ids.map(async (id) => (await transferOf(db, id)).attempts));
  expect(attempts).toEqual([1, 0]);
});

/** Deposits of two streamers, each through a bot of its own. */
async function twoBots() {
  const other = { botId: await addBot(db), streamer: await addStreamer(db) };
  const ids = [newId(START_MS), newId(START_MS)] as const;
  await request(ids[0]);
  const wanted = { requestId: ids[1], userId: other.streamer.userId, assets: [asset()] };
  await requestDeposit(db, wanted, START_MS, Date.now());
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ botId: other.botId }).where(eq(transfers.id, ids[1]));
    await tx.update(transfers).set({ botId }).where(eq(transfers.id, ids[0]));
  });
  return { other, ids };
}

const MAX_DEPOSITS = MAX_OPEN_OFFERS - ownPlaces.claim - ownPlaces.return;

test('The offers that another bot has open take no place of this one', async () => {
  const { other, ids } = await twoBots();
  for (let nth = 0; nth < MAX_DEPOSITS; nth++) {
    const partner = await addPerson(db);
    const wanted = { requestId: newId(START_MS), userId: partner.userId, assets: [asset()] };
    await requestDeposit(db, wanted, START_MS, Date.now());
  }
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ botId: other.botId }).where(ne(transfers.id, ids[0]));
  });
  const full = await leaseTransfers(
    db,
    { botId: other.botId, holder: 'two', limit: 100 },
    START_MS,
    Date.now(),
  );
  expect(full).toHaveLength(MAX_DEPOSITS);
  expect((await lease()).map(({ id }) => id)).toEqual([ids[0]]);
});

test('Each bot waits for its own transfers', async () => {
  const { other, ids } = await twoBots();
  const systemMs = Date.now();
  const dueOf = (of: string) =>
    Promise.all([
      nextQueuedMs(db.read, { botId: of }, START_MS),
      nextSendingEndMs(db.read, { botId: of }, systemMs),
    ]);
  expect(await dueOf(botId)).toEqual([null, null]);
  await leaseTransfers(db, { botId, holder: 'one' }, START_MS, systemMs);
  expect(await dueOf(botId)).toEqual([null, SENDING_LEASE_MS]);
  expect(await dueOf(other.botId)).toEqual([null, null]);
  await reportTransfer(db, ids[0], { event: 'deferred', runAtMs: START_MS + 7 }, START_MS);
  expect(await dueOf(botId)).toEqual([7, null]);
  expect(await dueOf(other.botId)).toEqual([null, null]);
});

test('Only offers of our transfers are known', async () => {
  await request(newId(START_MS));
  const [leased] = await lease();
  await reportTransfer(db, leased!.id, { event: 'sent', offerId: 'ours' }, START_MS);
  expect(await listKnownOffers(db.read, ['foreign', 'ours'])).toEqual(new Set(['ours']));
  expect(await listKnownOffers(db.read, ['foreign'])).toEqual(new Set());
});

test('A claim is reported under the lock of its own channel', async () => {
  const viewer = await addPerson(db);
  const other = await addStreamer(db);
  for (const owner of [streamer, other]) {
    const { rewards } = await promiseTo(db, owner, [viewer]);
    await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  }
  const sent = await sendQueued(db, START_MS);
  for (const { id } of sent) expect(await reportTransfer(db, id, { event: 'declined' }, START_MS)).toBe(true);
});

test('What is on its way back or was deposited before is not taken for an open deposit', async () => {
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  const [item] = await itemsOf(db, streamer.userId);
  await returnItems(
    db,
    { requestId: newId(START_MS), userId: streamer.userId, itemIds: [item!.id] },
    START_MS,
  );
  expect([...(await listBusyAssets(db, { userId: streamer.userId }))]).toEqual([]);
});

test('A hundred claims that wait for a place do not keep a return waiting that has one', async () => {
  const viewers = await Promise.all(Array.from({ length: 125 }, () => addPerson(db)));
  const { rewards } = await promiseTo(db, streamer, viewers);
  for (const { id: rewardId, twitchId } of rewards) {
    const { userId } = viewers.find((viewer) => viewer.twitchId === twitchId)!;
    expect((await claimReward(db, { rewardId, userId }, START_MS)).ok).toBe(true);
  }
  const owner = await addStreamer(db);
  await deposit(db, owner, [asset()], START_MS - 8 * day);
  expect(await lease(100)).toHaveLength(24);
  const [item] = await itemsOf(db, owner.userId);
  await returnItems(db, { requestId: newId(START_MS), userId: owner.userId, itemIds: [item!.id] }, START_MS);
  expect(await lease(100)).toMatchObject([{ kind: 'return' }]);
});
