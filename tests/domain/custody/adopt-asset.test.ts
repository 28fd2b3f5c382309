import { expect, test } from 'vitest';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { adoptAsset } from '#domain/custody/adopt-asset.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  asset,
  deposit,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { itemsOf, ledgerOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';

setScene();
const LATER_MS = START_MS + 8 * day;

const leave = (facts: Parameters<typeof leaveUnknownAsset>[1]['facts'] = {}) =>
  leaveUnknownAsset(db, { botId, nowMs: LATER_MS, facts });

const adopt = (assetId: string, to: { itemId: string } | { ownerId: string }, isRehearsal = false) =>
  adoptAsset(db, { botId, appId: 730, assetId, to, isRehearsal }, LATER_MS);

/** An item that was in no reading of the inventory. */
async function loseItem() {
  await deposit(db, streamer, [asset()]);
  const [held] = await itemsOf(db, streamer.userId);
  if (!held) throw new Error('nothing was deposited');
  const absentBefore = new Set([held.id]);
  await reconcileItems(db, { botId, appId: 730, found: [], readAtMs: LATER_MS, absentBefore }, LATER_MS);
  return held;
}

test('An adopted asset is a locked item of the account, and the ledger names the operator', async () => {
  const traits = 'Demo name';
  const { assetId } = await leave({ traits });
  const adopted = await adopt(assetId, { ownerId: streamer.userId });
  const [item] = await itemsOf(db, streamer.userId);
  expect(adopted).toMatchObject({ ok: true, itemId: item?.id });
  expect(item).toMatchObject({ assetId, botId, state: 'held', lockedUntilMs: LATER_MS + 7 * day, traits });
  expect(item?.depositorSteamId).toBe(streamer.steamId);
  expect(await ledgerOf(db, item?.id ?? '')).toMatchObject([
    { fromHolder: 'outside', toHolder: `held:${botId}`, cause: 'operator' },
  ]);
  expect(await db.read.select().from(unknownAssets)).toEqual([]);
  expect(await adopt(assetId, { ownerId: streamer.userId })).toEqual({ ok: false, code: 'assetUnknown' });
});

test('A missing item is held again as the asset it is now', async () => {
  const lost = await loseItem();
  const { assetId } = await leave({ contextId: '16' });
  expect(await adopt(assetId, { itemId: lost.id })).toMatchObject({
    ok: true,
    changes: [{ subject: 'item', id: lost.id, from: 'missing' }],
  });
  expect(await itemsOf(db, streamer.userId)).toMatchObject([
    { id: lost.id, state: 'held', assetId, contextId: '16' },
  ]);
  expect((await ledgerOf(db, lost.id)).at(-1)).toMatchObject({
    fromHolder: 'missing',
    toHolder: `held:${botId}`,
    cause: 'operator',
  });
});

test('A rehearsal says what would change and changes nothing', async () => {
  const lost = await loseItem();
  const { assetId } = await leave();
  const reported = await adopt(assetId, { itemId: lost.id }, true);
  expect(reported).toMatchObject({ ok: true, changes: [{ subject: 'item', id: lost.id }] });
  expect(await itemsOf(db, streamer.userId)).toMatchObject([{ state: 'missing' }]);
  expect(await db.read.select().from(unknownAssets)).toHaveLength(1);
  expect(await adopt(assetId, { itemId: lost.id })).toEqual(reported);
});

test('An asset that no bot reported, or of another kind, is refused', async () => {
  const lost = await loseItem();
  const { assetId } = await leave({ classId: '999' });
  expect(await adopt('404', { itemId: lost.id })).toEqual({ ok: false, code: 'assetUnknown' });
  expect(await adopt(assetId, { itemId: lost.id })).toEqual({ ok: false, code: 'anotherKind' });
  expect(await adopt(assetId, { itemId: 'nobody' })).toEqual({ ok: false, code: 'itemNotFound' });
});

test('An asset with another number of pieces is not the missing item', async () => {
  const lost = await loseItem();
  const { assetId } = await leave({ amount: 3 });
  expect(await adopt(assetId, { itemId: lost.id })).toEqual({ ok: false, code: 'anotherKind' });
});

test('A missing item of one bot is not the asset of another bot', async () => {
  const lost = await loseItem();
  const other = await addBot(db);
  const { assetId } = await leaveUnknownAsset(db, { botId: other, nowMs: LATER_MS });
  const adoption = { botId: other, appId: 730, assetId, to: { itemId: lost.id } };
  expect(await adoptAsset(db, adoption, LATER_MS)).toEqual({ ok: false, code: 'anotherKind' });
  expect(await itemsOf(db, streamer.userId)).toMatchObject([{ state: 'missing', botId }]);
});

test('Only a missing item takes another asset', async () => {
  await deposit(db, streamer, [asset()]);
  const [held] = await itemsOf(db, streamer.userId);
  const { assetId } = await leave();
  expect(await adopt(assetId, { itemId: held?.id ?? '' })).toEqual({ ok: false, code: 'itemNotMissing' });
});

test('An account without Steam is given nothing', async () => {
  const { assetId } = await leave();
  const { userId } = await addPerson(db, { steam: false });
  expect(await adopt(assetId, { ownerId: userId })).toEqual({ ok: false, code: 'steamNotLinked' });
});

test('An asset that an open deposit may have brought is that deposit’s', async () => {
  const requestId = newId(LATER_MS);
  const request = { requestId, userId: streamer.userId, assets: [asset()] };
  expect(await requestDeposit(db, request, LATER_MS, Date.now())).toMatchObject({ ok: true });
  const { assetId } = await leave();
  expect(await adopt(assetId, { ownerId: streamer.userId })).toEqual({ ok: false, code: 'depositOpen' });
});

test('An asset that came back under its first id is left to the reversal', async () => {
  await deposit(db, streamer, [asset()]);
  const [item] = await itemsOf(db, streamer.userId);
  if (!item) throw new Error('nothing was deposited');
  const requestId = newId(LATER_MS);
  const request = { requestId, userId: streamer.userId, itemIds: [item.id] };
  expect(await returnItems(db, request, LATER_MS)).toMatchObject({ ok: true });
  await sendQueued(db, LATER_MS);
  expect(await acceptOffer(db, requestId, [item], LATER_MS)).toBe(true);
  await leave({ assetId: item.assetId });
  expect(await adopt(item.assetId, { ownerId: streamer.userId })).toEqual({ ok: false, code: 'assetTaken' });
});
