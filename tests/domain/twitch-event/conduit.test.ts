import { expect, test } from 'vitest';
import { conduits } from '#db/schema/twitch.ts';
import { findConduit, saveConduit } from '#domain/twitch-event/conduit.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

test('The newest conduit is the current one, and takes the place of all others', async () => {
  expect(await findConduit(db.read)).toBeNull();
  await saveConduit(db, 'first', 1);
  expect(await findConduit(db.read)).toBe('first');
  await saveConduit(db, 'second', 2);
  expect(await findConduit(db.read)).toBe('second');
  expect(await db.read.select({ id: conduits.id }).from(conduits)).toEqual([{ id: 'second' }]);
});

test('A conduit that is saved again keeps its age', async () => {
  await saveConduit(db, 'first', 1);
  await saveConduit(db, 'first', 9);
  expect(await db.read.select().from(conduits)).toEqual([{ id: 'first', createdAtMs: 1 }]);
});

test('Of two conduits that two processes saved at once, the later one is current', async () => {
  const rows = [
    { id: 'later', createdAtMs: 2 },
    { id: 'earlier', createdAtMs: 1 },
  ];
  await db.transaction(async (tx) => {
    await tx.insert(conduits).values(rows);
  });
  expect(await findConduit(db.read)).toBe('later');
});
