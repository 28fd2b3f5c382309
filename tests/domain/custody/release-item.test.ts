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
import { botId, database, setScene, streamer } from '#tests/support/scene.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';

setScene();

async function loseRewarded() {
  const ruleId = await addRule(database, streamer, { rewards: 1 });
  const [item] = await itemsOf(database, streamer.userId);
  if (!item) throw new Error('nothing was deposited');
  await database.transaction((tx) =>
    advanceItem(tx, item.id, { event: 'lost', cause: 'reconciliation' }, START_MS),
  );
  return { itemId: item.id, ruleId };
}

test('A missing item is written off by the operator, and its free reward leaves the rule', async () => {
  const { itemId, ruleId } = await loseRewarded();
  const rehearsed = await releaseItem(database, { itemId, isRehearsal: true }, START_MS);
  expect(await itemsOf(database, streamer.userId)).toMatchObject([{ state: 'missing' }]);
  const released = await releaseItem(database, { itemId }, START_MS);
  expect(released).toEqual(rehearsed);
  expect(released).toMatchObject({
    changes: [
      { subject: 'reward', from: 'free', to: 'recalled' },
      { subject: 'item', id: itemId, from: 'missing', to: 'gone' },
    ],
  });
  expect(await rewardsOf(database, ruleId)).toMatchObject([{ state: 'recalled', recallReason: 'detached' }]);
  expect((await ledgerOf(database, itemId)).at(-1)).toMatchObject({
    fromHolder: 'missing',
    toHolder: 'gone',
    cause: 'operator',
  });
  expect(await releaseItem(database, { itemId }, START_MS)).toEqual({ ok: false, code: 'itemNotMissing' });
});

test('A promise of an item that is written off ends, and its viewer is told by mail', async () => {
  const viewer = await addPerson(database);
  const { ruleId, rewards } = await promiseTo(database, streamer, [viewer]);
  const { id, itemId } = rewards[0]!;
  await database.transaction((tx) =>
    advanceItem(tx, itemId, { event: 'lost', cause: 'reconciliation' }, START_MS),
  );
  expect(await releaseItem(database, { itemId }, START_MS)).toMatchObject({
    changes: [
      { subject: 'reward', id, from: 'promised', to: 'recalled' },
      { subject: 'item', id: itemId, to: 'gone' },
    ],
  });
  const [ended] = await rewardsOf(database, ruleId);
  expect(ended).toMatchObject({ id, state: 'recalled', recallReason: 'itemLost' });
  const letters = await database.read.select().from(mails).where(eq(mails.template, 'itemLost'));
  expect(letters).toMatchObject([{ values: { item: 'Demo case' } }]);
});

test('An item that is held or unknown is not written off', async () => {
  const { itemId } = await loseRewarded();
  await database.transaction(async (tx) => {
    await tx.update(items).set({ state: 'held' }).where(eq(items.id, itemId));
  });
  expect(await releaseItem(database, { itemId }, START_MS)).toEqual({ ok: false, code: 'itemNotMissing' });
  expect(await releaseItem(database, { itemId: 'x' }, START_MS)).toEqual({ ok: false, code: 'itemNotFound' });
});

test('An asset of the operator’s own stays unreported and becomes no deposit’s', async () => {
  const own = await leaveUnknownAsset(database, { botId, nowMs: START_MS });
  const named = { botId, appId: 730, assetId: own.assetId };
  expect(await setAsideAsset(database, { ...named, isRehearsal: true }, START_MS)).toEqual({
    ok: true,
    changes: [{ subject: 'asset', id: own.assetId, from: 'unknown', to: 'the operator’s own' }],
  });
  expect(await listCustodyAssets(database.read, { botId, appId: 730 })).toEqual(new Set());
  expect(await setAsideAsset(database, named, START_MS)).toMatchObject({ ok: true });
  expect(await listCustodyAssets(database.read, { botId, appId: 730 })).toEqual(new Set([own.assetId]));
  await recordUnknownAssets(database, { botId, appId: 730, found: [own] }, START_MS + 1);
  expect(await database.read.select().from(unknownAssets)).toMatchObject([{ setAsideAtMs: START_MS }]);
  expect(await setAsideAsset(database, named, START_MS)).toEqual({ ok: false, code: 'assetUnknown' });
  await recordUnknownAssets(database, { botId, appId: 730, found: [asset()] }, START_MS + 2);
  expect(await listCustodyAssets(database.read, { botId, appId: 730 })).toEqual(new Set());
});

test('An asset that an open deposit may have brought is not the operator’s', async () => {
  const requestId = newId(START_MS);
  const request = { requestId, userId: streamer.userId, assets: [asset()] };
  expect(await requestDeposit(database, request, START_MS, Date.now())).toMatchObject({ ok: true });
  const { assetId } = await leaveUnknownAsset(database, { botId, nowMs: START_MS });
  expect(await setAsideAsset(database, { botId, appId: 730, assetId }, START_MS)).toEqual({
    ok: false,
    code: 'depositOpen',
  });
});

test('An asset of a delivered item is left to its reversal', async () => {
  await addRule(database, streamer, { rewards: 1 });
  const [item] = await itemsOf(database, streamer.userId);
  await leaveUnknownAsset(database, { botId, nowMs: START_MS, facts: { assetId: '77' } });
  await database.transaction(async (tx) => {
    await tx.update(items).set({ state: 'delivered', assetId: '77' }).where(eq(items.id, item!.id));
  });
  const named = { botId, appId: 730, assetId: '77' };
  expect(await setAsideAsset(database, named, START_MS)).toEqual({ ok: false, code: 'assetTaken' });
});
