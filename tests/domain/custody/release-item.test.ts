import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { releaseItem } from '#domain/custody/release-item.ts';
import { setAsideAsset } from '#domain/custody/set-aside-asset.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { listCustodyAssets } from '#domain/item/list-custody-assets.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addPerson, addRule, asset, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf, ledgerOf, rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';

setScene();

async function loseRewarded() {
  const ruleId = await addRule(db, streamer, { rewards: 1 });
  const [item] = await itemsOf(db, streamer.userId);
  if (!item) throw new Error('nothing was deposited');
  await db.transaction((tx) =>
    advanceItem(tx, item.id, { event: 'lost', cause: 'reconciliation' }, START_MS),
  );
  return { itemId: item.id, ruleId };
}

test('A missing item is written off by the operator, and its free reward leaves the rule', async () => {
  const { itemId, ruleId } = await loseRewarded();
  const rehearsed = await releaseItem(db, { itemId, isRehearsal: true }, START_MS);
  expect(await itemsOf(db, streamer.userId)).toMatchObject([{ state: 'missing' }]);
  const released = await releaseItem(db, { itemId }, START_MS);
  expect(released).toEqual(rehearsed);
  expect(released).toMatchObject({
    changes: [
      { subject: 'reward', from: 'free', to: 'recalled' },
      { subject: 'item', id: itemId, from: 'missing', to: 'gone' },
    ],
  });
  expect(await rewardsOf(db, ruleId)).toMatchObject([{ state: 'recalled', recallReason: 'detached' }]);
  expect((await ledgerOf(db, itemId)).at(-1)).toMatchObject({
    fromHolder: 'missing',
    toHolder: 'gone',
    cause: 'operator',
  });
  expect(await releaseItem(db, { itemId }, START_MS)).toEqual({ ok: false, code: 'itemNotMissing' });
});

test('A promise of an item that is written off ends, and its viewer is told by mail', async () => {
  const viewer = await addPerson(db);
  const { ruleId, rewards } = await promiseTo(db, streamer, [viewer]);
  const { id, itemId } = rewards[0]!;
  await db.transaction((tx) => advanceItem(tx, itemId, { event: 'lost', cause: 'reconciliation' }, START_MS));
  expect(await releaseItem(db, { itemId }, START_MS)).toMatchObject({
    changes: [
      { subject: 'reward', id, from: 'promised', to: 'recalled' },
      { subject: 'item', id: itemId, to: 'gone' },
    ],
  });
  const [ended] = await rewardsOf(db, ruleId);
  expect(ended).toMatchObject({ id, state: 'recalled', recallReason: 'itemLost' });
  const letters = await db.read.select().from(mails).where(eq(mails.template, 'itemLost'));
  expect(letters).toMatchObject([{ values: { item: 'Demo case' } }]);
});

test('An item that is held or unknown is not written off', async () => {
  const { itemId } = await loseRewarded();
  await db.transaction(async (tx) => {
    await tx.update(items).set({ state: 'held' }).where(eq(items.id, itemId));
  });
  expect(await releaseItem(db, { itemId }, START_MS)).toEqual({ ok: false, code: 'itemNotMissing' });
  expect(await releaseItem(db, { itemId: 'x' }, START_MS)).toEqual({ ok: false, code: 'itemNotFound' });
});

test('An asset of the operator’s own stays unreported and becomes no deposit’s', async () => {
  const own = await leaveUnknownAsset(db, { botId, nowMs: START_MS });
  const named = { botId, appId: 730, assetId: own.assetId };
  expect(await setAsideAsset(db, { ...named, isRehearsal: true }, START_MS)).toEqual({
    ok: true,
    changes: [{ subject: 'asset', id: own.assetId, from: 'unknown', to: 'the operator’s own' }],
  });
  expect(await listCustodyAssets(db.read, { botId, appId: 730 })).toEqual(new Set());
  expect(await setAsideAsset(db, named, START_MS)).toMatchObject({ ok: true });
  expect(await listCustodyAssets(db.read, { botId, appId: 730 })).toEqual(new Set([own.assetId]));
  await recordUnknownAssets(db, { botId, appId: 730, found: [own] }, START_MS + 1);
  expect(await db.read.select().from(unknownAssets)).toMatchObject([{ setAsideAtMs: START_MS }]);
  expect(await setAsideAsset(db, named, START_MS)).toEqual({ ok: false, code: 'assetUnknown' });
  await recordUnknownAssets(db, { botId, appId: 730, found: [asset()] }, START_MS + 2);
  expect(await listCustodyAssets(db.read, { botId, appId: 730 })).toEqual(new Set());
});

test('An asset that an open deposit may have brought is not the operator’s', async () => {
  const requestId = newId(START_MS);
  const request = { requestId, userId: streamer.userId, assets: [asset()] };
  expect(await requestDeposit(db, request, START_MS, Date.now())).toMatchObject({ ok: true });
  const { assetId } = await leaveUnknownAsset(db, { botId, nowMs: START_MS });
  expect(await setAsideAsset(db, { botId, appId: 730, assetId }, START_MS)).toEqual({
    ok: false,
    code: 'depositOpen',
  });
});

test('An asset of a delivered item is left to its reversal', async () => {
  await addRule(db, streamer, { rewards: 1 });
  const [item] = await itemsOf(db, streamer.userId);
  await leaveUnknownAsset(db, { botId, nowMs: START_MS, facts: { assetId: '77' } });
  await db.transaction(async (tx) => {
    await tx.update(items).set({ state: 'delivered', assetId: '77' }).where(eq(items.id, item!.id));
  });
  const named = { botId, appId: 730, assetId: '77' };
  expect(await setAsideAsset(db, named, START_MS)).toEqual({ ok: false, code: 'assetTaken' });
});
