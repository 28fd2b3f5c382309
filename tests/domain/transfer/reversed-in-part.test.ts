import { expect, test } from 'vitest';
import { items } from '#db/schema/item.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf, ledgerOf, transferOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('Of a return that was reversed in part, what stayed is final, game by game, and the rest is held again', async () => {
  await deposit(db, streamer, [asset(), asset('Demo hat', { appId: 440 })], START_MS - 9 * day);
  // Two games may give their assets the same number.
  await db.transaction(async (tx) => {
    await tx.update(items).set({ assetId: '77' });
  });
  const held = await itemsOf(db, streamer.userId);
  const requestId = newId(START_MS);
  const itemIds = held.map(({ id }) => id);
  await returnItems(db, { requestId, userId: streamer.userId, itemIds }, START_MS);
  await sendQueued(db, START_MS);
  const given = [730, 440].map((appId) => ({
    appId,
    assetId: '77',
    newAssetId: `${appId}1`,
    newContextId: '2',
  }));
  await reportTransfer(db, requestId, { event: 'accepted', tradeId: 't1', moved: given }, START_MS);
  const back = { appId: 730, assetId: '7301', newAssetId: '78', newContextId: '16' };
  const protectedUntilMs = START_MS + 5 * day;
  await reportTransfer(
    db,
    requestId,
    { event: 'reversed', moved: [{ ...back, protectedUntilMs }], stayed: [{ appId: 440, assetId: '77' }] },
    START_MS + day,
  );
  expect((await transferOf(db, requestId)).state).toBe('reversed');
  const now = await itemsOf(db, streamer.userId);
  expect(now.find(({ appId }) => appId === 440)).toMatchObject({ state: 'gone', assetId: '77' });
  expect(now.find(({ appId }) => appId === 730)).toMatchObject({
    state: 'held',
    assetId: '78',
    contextId: '16',
    lockedUntilMs: protectedUntilMs,
  });
  const causes = async (appId: number) => {
    const entries = await ledgerOf(db, held.find((item) => item.appId === appId)!.id);
    return entries.map(({ toHolder, cause, transferId }) => [
      toHolder.split(':')[0],
      cause,
      transferId === requestId,
    ]);
  };
  expect((await causes(440)).slice(1)).toEqual([
    ['outgoing', 'return', true],
    ['delivered', 'return', true],
    ['gone', 'return', true],
  ]);
  expect((await causes(730)).at(-1)).toEqual(['held', 'reversal', true]);
});
