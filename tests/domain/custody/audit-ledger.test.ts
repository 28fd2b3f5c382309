import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { items } from '#db/schema/item.ts';
import { auditLedger, holderFrom } from '#domain/custody/audit-ledger.ts';
import { asset, deposit } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const path = (...holders: string[]) =>
  holders.slice(1).map((toHolder, place) => ({ fromHolder: holders[place] ?? '', toHolder }));

test('A holder is rebuilt from entries in any order', () => {
  const entries = path('outside', 'held:a', 'outgoing', 'held:a', 'outgoing', 'delivered');
  expect(holderFrom(entries)).toBe('delivered');
  expect(holderFrom(entries.toReversed())).toBe('delivered');
  expect(holderFrom(path('outside', 'held:a', 'missing', 'held:a'))).toBe('held:a');
});

test('Entries with a gap, or none, lead nowhere', () => {
  expect(holderFrom([])).toBe('outside');
  expect(holderFrom([...path('outside', 'held:a'), ...path('outgoing', 'delivered')])).toBeNull();
  expect(holderFrom([...path('outside', 'held:a'), ...path('outside', 'held:a')])).toBeNull();
});

test('Every item whose row differs from its ledger is found, on whatever page', async () => {
  for (let round = 0; round < 6; round += 1)
    await deposit(
      db,
      streamer,
      Array.from({ length: 100 }, () => asset()),
    );
  const all = await itemsOf(db, streamer.userId);
  expect(await auditLedger(db.read)).toEqual({ items: 600, drifts: [] });
  const [moved, lost] = [all[3], all[550]];
  await db.transaction(async (tx) => {
    await tx
      .update(items)
      .set({ state: 'gone' })
      .where(eq(items.id, moved?.id ?? ''));
    await tx
      .update(items)
      .set({ state: 'missing' })
      .where(eq(items.id, lost?.id ?? ''));
  });
  expect((await auditLedger(db.read)).drifts).toEqual([
    { itemId: moved?.id, holder: 'gone', rebuilt: `held:${botId}` },
    { itemId: lost?.id, holder: 'missing', rebuilt: `held:${botId}` },
  ]);
});
