import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { transfers } from '#db/schema/transfer.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { setAsideAsset } from '#domain/custody/set-aside-asset.ts';
import { listCustodyAssets } from '#domain/item/list-custody-assets.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { readEvents } from '#domain/outbox/read-events.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import {
  acceptOffer,
  addBot,
  addStreamer,
  asset,
  deposit,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';

const LATER_MS = START_MS + 8 * day;

interface FoundAsset {
  assetId: string;
  contextId: string;
  classId: string;
}

async function holdTwo(db: Database) {
  const botId = await addBot(db);
  const streamer = await addStreamer(db);
  await deposit(db, streamer, [asset(), asset()]);
  const [first, second] = await db.read.select().from(items).orderBy(items.id);
  if (!first || !second) throw new Error('two items were deposited');
  const read = (found: FoundAsset[], absentBefore: string[], readAtMs = LATER_MS) =>
    reconcileItems(db, { botId, appId: 730, found, readAtMs, absentBefore: new Set(absentBefore) }, LATER_MS);
  /** Reads the inventory twice. */
  const reconcile = async (found: FoundAsset[], readAtMs = LATER_MS) => {
    const { absent } = await read(found, [], readAtMs);
    const { lost, found: back } = await read(found, absent, readAtMs);
    return { lost, found: back };
  };
  const states = async () => (await db.read.select().from(items).orderBy(items.id)).map(({ state }) => state);
  return { streamer, first, second, read, reconcile, states };
}

test('A held item that is not in the inventory is missing, and held again once it is there', async () => {
  await using db = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(db);
  expect(await reconcile([second])).toEqual({ lost: 1, found: 0 });
  expect(await states()).toEqual(['missing', 'held']);
  expect(await reconcile([second])).toEqual({ lost: 0, found: 0 });
  const entries = await db.read
    .select({ to: ledgerEntries.toHolder, cause: ledgerEntries.cause })
    .from(ledgerEntries)
    .where(eq(ledgerEntries.itemId, first.id))
    .orderBy(ledgerEntries.id);
  expect(entries.at(-1)).toEqual({ to: 'missing', cause: 'reconciliation' });
  const soon = LATER_MS + minute;
  await reconcile([first, second], soon);
  expect(await states()).toEqual(['held', 'held']);
});

test('Items that moved after the inventory was read are not judged by it', async () => {
  await using db = await openTestDatabase();
  const { reconcile, states } = await holdTwo(db);
  expect(await reconcile([], START_MS)).toEqual({ lost: 0, found: 0 });
  expect(await states()).toEqual(['held', 'held']);
});

test('An item in a running offer is left alone', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, reconcile, states } = await holdTwo(db);
  const requestId = newId(LATER_MS);
  const { userId } = streamer;
  expect(await returnItems(db, { requestId, userId, itemIds: [first.id] }, LATER_MS)).toMatchObject({
    ok: true,
  });
  await reconcile([], LATER_MS + minute);
  expect(await states()).toEqual(['outgoing', 'missing']);
  // It is shown where it is, but nothing is stored while Steam moves it.
  await reconcile([{ ...first, contextId: '16' }], LATER_MS + 2 * minute);
  expect(await states()).toEqual(['outgoing', 'missing']);
  const [row] = await db.read.select().from(items).where(eq(items.id, first.id));
  expect(row?.contextId).toBe(first.contextId);
});

test('An item whose protection ended is stored with its new context', async () => {
  await using db = await openTestDatabase();
  const { first, second, reconcile } = await holdTwo(db);
  await reconcile([{ ...first, contextId: '16' }, second]);
  const [row] = await db.read.select().from(items).where(eq(items.id, first.id));
  expect(row).toMatchObject({ state: 'held', contextId: '16' });
});

test('One reading without an item does not make it missing', async () => {
  await using db = await openTestDatabase();
  const { first, second, read, states } = await holdTwo(db);
  expect(await read([second], [])).toEqual({ lost: 0, found: 0, absent: [first.id] });
  expect(await read([first, second], [first.id])).toEqual({ lost: 0, found: 0, absent: [] });
  expect(await states()).toEqual(['held', 'held']);
});

test('Items with other ids are recognized when as many of their class are unknown as are absent', async () => {
  await using db = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(db);
  const stranger = (assetId: string) => ({ assetId, contextId: '2', classId: first.classId });
  // Either's, or neither's.
  await reconcile([stranger('77'), stranger('78'), stranger('79')]);
  expect(await states()).toEqual(['missing', 'missing']);
  await reconcile([stranger('77'), stranger('78')], LATER_MS + minute);
  expect(await states()).toEqual(['held', 'held']);
  const rows = await db.read.select().from(items).orderBy(items.id);
  expect(rows.map(({ assetId }) => assetId).sort()).toEqual(['77', '78']);
  expect(second.classId).toBe(first.classId);
});

test('An asset that an open deposit may have brought is nobody else’s', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, second, reconcile, states } = await holdTwo(db);
  const coming = { ...asset(), classId: first.classId };
  const request = { requestId: newId(LATER_MS), userId: streamer.userId, assets: [coming] };
  expect(await requestDeposit(db, request, LATER_MS, Date.now())).toMatchObject({ ok: true });
  await reconcile([second, { assetId: '77', contextId: '2', classId: first.classId }]);
  expect(await states()).toEqual(['missing', 'held']);
});

test('An asset takes the place of an item only if it is of its class, in whatever context', async () => {
  await using db = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(db);
  const stranger = { assetId: '77', contextId: first.contextId, classId: first.classId };
  await reconcile([second, { ...stranger, classId: 'another' }]);
  expect(await states()).toEqual(['missing', 'held']);
  await reconcile([second, stranger], LATER_MS + minute);
  expect(await states()).toEqual(['held', 'held']);
  const [row] = await db.read.select().from(items).where(eq(items.id, first.id));
  expect(row).toMatchObject({ assetId: '77', contextId: first.contextId });
});

test('While an item is locked no other asset takes its place', async () => {
  await using db = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(db);
  await db.transaction(async (tx) => {
    await tx
      .update(items)
      .set({ lockedUntilMs: LATER_MS + 1 })
      .where(eq(items.id, first.id));
  });
  const stranger = { assetId: '77', contextId: '16', classId: first.classId };
  expect(await reconcile([second, stranger])).toEqual({ lost: 1, found: 0 });
  expect(await states()).toEqual(['missing', 'held']);
});

test('An item in a running offer keeps no other of its class from being recognized', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, second, reconcile, states } = await holdTwo(db);
  const request = { requestId: newId(LATER_MS), userId: streamer.userId, itemIds: [first.id] };
  await returnItems(db, request, LATER_MS);
  await reconcile([{ assetId: '77', contextId: '2', classId: second.classId }], LATER_MS + minute);
  expect(await states()).toEqual(['outgoing', 'held']);
});

test('The end of a lock allows another asset to take the place of an item', async () => {
  await using db = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(db);
  await db.transaction(async (tx) => {
    await tx.update(items).set({ lockedUntilMs: LATER_MS }).where(eq(items.id, first.id));
  });
  await reconcile([second, { assetId: '77', contextId: '16', classId: first.classId }]);
  expect(await states()).toEqual(['held', 'held']);
});

test('An inventory says nothing about items of another bot or another game', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, second, read, states } = await holdTwo(db);
  await deposit(db, streamer, [asset('Demo hat', { appId: 440 })]);
  await deposit(db, await addStreamer(db), [asset()]);
  const [, , hat, foreign] = await db.read.select().from(items).orderBy(items.id);
  const elsewhere = await addBot(db);
  await db.transaction(async (tx) => {
    await tx.update(items).set({ botId: elsewhere }).where(eq(items.id, foreign!.id));
  });
  expect(await read([first, second], [hat!.id, foreign!.id])).toEqual({ lost: 0, found: 0, absent: [] });
  expect(await states()).toEqual(['held', 'held', 'held', 'held']);
  const custody = { botId: first.botId, appId: 730 };
  expect(await listCustodyAssets(db.read, custody)).toEqual(new Set([first.assetId, second.assetId]));
  await read([], [first.id]);
  expect(await listCustodyAssets(db.read, custody)).toContain(first.assetId);
  await db.transaction(async (tx) => {
    await tx.update(items).set({ state: 'delivered' }).where(eq(items.id, first.id));
  });
  expect(await listCustodyAssets(db.read, custody)).toEqual(new Set([second.assetId]));
});

test('Only an open deposit to the same bot and of the same game may have brought an asset', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, second, reconcile, states } = await holdTwo(db);
  const other = await addBot(db);
  const ask = async (facts: { appId?: number }, botId: string) => {
    const requestId = newId(LATER_MS);
    const assets = [{ ...asset('Demo case', facts), classId: first.classId }];
    await requestDeposit(db, { requestId, userId: streamer.userId, assets }, LATER_MS, Date.now());
    await db.transaction(async (tx) => {
      await tx.update(transfers).set({ botId }).where(eq(transfers.id, requestId));
    });
  };
  await ask({}, other);
  await ask({ appId: 440 }, first.botId);
  const back = { requestId: newId(LATER_MS), userId: streamer.userId, itemIds: [first.id] };
  await returnItems(db, back, LATER_MS);
  await reconcile([{ assetId: '77', contextId: '2', classId: second.classId }], LATER_MS + minute);
  expect(await states()).toEqual(['outgoing', 'held']);
});

test('Whoever owns a lost or found item is shown so, and nobody else', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, second, reconcile } = await holdTwo(db);
  const shown = async () => {
    const all = await readEvents(db, { afterId: null });
    return all.filter(({ kind, subjectId }) => kind === 'items.changed' && subjectId === first.id);
  };
  await reconcile([first, second]);
  expect(await shown()).toEqual([]);
  await reconcile([second]);
  expect(await shown()).toMatchObject([{ userId: streamer.userId }]);
});

test('A stack whose amount changed is missing until the amount is right again', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, second, reconcile, states } = await holdTwo(db);
  await deposit(db, streamer, [asset('Demo gems', { classId: '7', amount: 500 })]);
  const [, , stack] = await db.read.select().from(items).orderBy(items.id);
  const seen = (amount: number, assetId = stack?.assetId ?? '') => ({
    ...stack,
    contextId: '2',
    classId: '7',
    assetId,
    amount,
  });
  const others = [first, second];
  expect(await reconcile([...others, seen(537)])).toEqual({ lost: 1, found: 0 });
  expect(await states()).toEqual(['held', 'held', 'missing']);
  // One under another id is the item only if it has as many pieces.
  await reconcile([...others, seen(537, '1')], LATER_MS + 1);
  expect(await states()).toEqual(['held', 'held', 'missing']);
  await reconcile([...others, seen(500, '1')], LATER_MS + 1);
  expect(await states()).toEqual(['held', 'held', 'held']);
});

test('An asset of the operator’s own takes the place of no item, and hides no renamed one', async () => {
  await using db = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(db);
  const own = asset();
  const { botId } = first;
  await recordUnknownAssets(db, { botId, appId: 730, found: [own] }, START_MS);
  await setAsideAsset(db, { botId, appId: 730, assetId: own.assetId }, START_MS);
  await reconcile([second, own]);
  expect(await states()).toEqual(['missing', 'held']);
  await reconcile([second, own, { ...first, assetId: '77' }], LATER_MS + minute);
  expect(await states()).toEqual(['held', 'held']);
  const [row] = await db.read.select().from(items).where(eq(items.id, first.id));
  expect(row?.assetId).toBe('77');
});

test('An asset that a reversal may have brought back is nobody else’s until the trade is final', async () => {
  await using db = await openTestDatabase();
  const { streamer, first, second, reconcile, states } = await holdTwo(db);
  const requestId = newId(LATER_MS);
  await returnItems(db, { requestId, userId: streamer.userId, itemIds: [first.id] }, LATER_MS);
  await sendQueued(db, LATER_MS);
  await acceptOffer(db, requestId, [first], LATER_MS);
  const back = { assetId: '77', contextId: '2', classId: second.classId };
  await reconcile([back], LATER_MS + minute);
  expect(await states()).toEqual(['delivered', 'missing']);
  await reportTransfer(db, requestId, { event: 'settled' }, LATER_MS + minute);
  await reconcile([back], LATER_MS + 2 * minute);
  expect(await states()).toEqual(['gone', 'held']);
});

test('An asset of no item that changes keeps its place in the list, with its new amount', async () => {
  await using db = await openTestDatabase();
  const botId = await addBot(db);
  const [own, other] = [asset('Demo gems', { name: 'Demo gems × 37', amount: 37 }), asset()];
  const record = (found: Asset[], nowMs: number) =>
    recordUnknownAssets(db, { botId, appId: 730, found }, nowMs);
  await record([own, other], START_MS);
  await setAsideAsset(db, { botId, appId: 730, assetId: own.assetId }, START_MS + 1);
  const changed = { ...own, name: 'Demo gems × 40', traits: '× 40', amount: 40 };
  await record([changed, other], START_MS + minute);
  const rows = await db.read.select().from(unknownAssets).where(eq(unknownAssets.assetId, own.assetId));
  expect(rows).toEqual([
    {
      ...changed,
      traitIcons: '',
      wear: '',
      botId,
      firstSeenAtMs: START_MS,
      lastSeenAtMs: START_MS + minute,
      setAsideAtMs: START_MS + 1,
    },
  ]);
  const [beside] = await db.read.select().from(unknownAssets).where(eq(unknownAssets.assetId, other.assetId));
  expect(beside).toMatchObject({ name: other.name, amount: 1, setAsideAtMs: null });
});
