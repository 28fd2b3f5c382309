import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { newId } from '#domain/id.ts';
import { reconcileItems } from '#domain/item/reconcile-items.ts';
import { day, minute } from '#domain/time.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';

const LATER_MS = START_MS + 8 * day;

async function holdTwo(database: Database) {
  const botId = await addBot(database);
  const streamer = await addStreamer(database);
  await deposit(database, streamer, [asset(), asset()]);
  const [first, second] = await database.read.select().from(items).orderBy(items.id);
  if (!first || !second) throw new Error('two items were deposited');
  const reconcile = (found: { assetId: string; contextId: string; classId: string }[], readAtMs = LATER_MS) =>
    reconcileItems(database, { botId, appId: 730, found, readAtMs }, LATER_MS);
  const states = async () =>
    (await database.read.select().from(items).orderBy(items.id)).map(({ state }) => state);
  return { streamer, first, second, reconcile, states };
}

test('A held item that is not in the inventory is missing, and held again once it is there', async () => {
  await using database = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(database);
  expect(await reconcile([second])).toEqual({ lost: 1, found: 0 });
  expect(await states()).toEqual(['missing', 'held']);
  expect(await reconcile([second])).toEqual({ lost: 0, found: 0 });
  const entries = await database.read
    .select({ to: ledgerEntries.toHolder, cause: ledgerEntries.cause })
    .from(ledgerEntries)
    .where(eq(ledgerEntries.itemId, first.id))
    .orderBy(ledgerEntries.id);
  expect(entries.at(-1)).toEqual({ to: 'missing', cause: 'reconciliation' });
  const soon = LATER_MS + minute;
  expect(await reconcile([first, second], soon)).toEqual({ lost: 0, found: 1 });
  expect(await states()).toEqual(['held', 'held']);
});

test('Items that moved after the inventory was read are not judged by it', async () => {
  await using database = await openTestDatabase();
  const { reconcile, states } = await holdTwo(database);
  expect(await reconcile([], START_MS)).toEqual({ lost: 0, found: 0 });
  expect(await states()).toEqual(['held', 'held']);
});

test('An item in a running offer is left alone', async () => {
  await using database = await openTestDatabase();
  const { streamer, first, reconcile, states } = await holdTwo(database);
  const requestId = newId(LATER_MS);
  const { userId } = streamer;
  expect(await returnItems(database, { requestId, userId, itemIds: [first.id] }, LATER_MS)).toMatchObject({
    ok: true,
  });
  await reconcile([], LATER_MS + minute);
  expect(await states()).toEqual(['outgoing', 'missing']);
  // It is shown where it is, but nothing is stored while Steam moves it.
  await reconcile([{ ...first, contextId: '16' }], LATER_MS + 2 * minute);
  expect(await states()).toEqual(['outgoing', 'missing']);
  const [row] = await database.read.select().from(items).where(eq(items.id, first.id));
  expect(row?.contextId).toBe(first.contextId);
});

test('An item whose protection ended is stored with its new context', async () => {
  await using database = await openTestDatabase();
  const { first, second, reconcile } = await holdTwo(database);
  await reconcile([{ ...first, contextId: '16' }, second]);
  const [row] = await database.read.select().from(items).where(eq(items.id, first.id));
  expect(row).toMatchObject({ state: 'held', contextId: '16' });
});

test('An item that left its protection with another id is recognized, if there is no ambiguity', async () => {
  await using database = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(database);
  await reconcile([{ ...first, contextId: '16' }, second]);
  const stranger = { assetId: '77', contextId: '2', classId: first.classId };
  const soon = LATER_MS + minute;
  // Two of them could be either's.
  await reconcile([second, stranger, { ...stranger, assetId: '78' }], soon);
  expect(await states()).toEqual(['missing', 'held']);
  await reconcile([{ ...first, contextId: '16' }, second], soon + minute);
  await reconcile([second, stranger], soon + 2 * minute);
  expect(await states()).toEqual(['held', 'held']);
  const [row] = await database.read.select().from(items).where(eq(items.id, first.id));
  expect(row).toMatchObject({ assetId: '77', contextId: '2' });
});

test('An asset takes the place of an item only if the item is past its lock and the asset has changed context', async () => {
  await using database = await openTestDatabase();
  const botId = await addBot(database);
  const streamer = await addStreamer(database);
  await deposit(database, streamer, [asset(), asset(), asset()]);
  const [lost, ...present] = await database.read.select().from(items).orderBy(items.id);
  const stranger = { assetId: '77', contextId: '16', classId: lost!.classId };
  const compare = (other: typeof stranger, nowMs: number) =>
    reconcileItems(database, { botId, appId: 730, found: [...present, other], readAtMs: nowMs }, nowMs);
  const first = async () => (await database.read.select().from(items).orderBy(items.id))[0];
  expect(await compare({ ...stranger, classId: 'another' }, LATER_MS)).toEqual({ lost: 1, found: 0 });
  await reconcileItems(
    database,
    { botId, appId: 730, found: [lost!, ...present], readAtMs: LATER_MS + 1 },
    LATER_MS + 1,
  );
  expect(await compare({ ...stranger, contextId: lost!.contextId }, LATER_MS + 2)).toEqual({
    lost: 1,
    found: 0,
  });
  await reconcileItems(
    database,
    { botId, appId: 730, found: [lost!, ...present], readAtMs: LATER_MS + 3 },
    LATER_MS + 3,
  );
  expect(await compare(stranger, LATER_MS + 4)).toEqual({ lost: 0, found: 0 });
  expect(await first()).toMatchObject({ state: 'held', assetId: '77', contextId: '16' });
});

test('While an item is locked no other asset takes its place', async () => {
  await using database = await openTestDatabase();
  const { first, second, reconcile, states } = await holdTwo(database);
  await database.transaction(async (tx) => {
    await tx
      .update(items)
      .set({ lockedUntilMs: LATER_MS + 1 })
      .where(eq(items.id, first.id));
  });
  const stranger = { assetId: '77', contextId: '16', classId: first.classId };
  expect(await reconcile([second, stranger])).toEqual({ lost: 1, found: 0 });
  expect(await states()).toEqual(['missing', 'held']);
});
