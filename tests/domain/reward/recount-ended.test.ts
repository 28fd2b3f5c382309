import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { endedRewards } from '#db/schema/reward.ts';
import { day } from '#domain/kernel/time.ts';
import { recountEnded } from '#domain/reward/recount-ended.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const kinds = ['Demo case', 'Demo key'] as const;

/** A rule from which one reward of each kind was removed, and which still has one of each. */
async function ruleWithPast() {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await deposit(
    db,
    streamer,
    [...kinds, ...kinds].map((name) => asset(name)),
    START_MS - 9 * day,
  );
  const asked = { ruleId, userId: streamer.userId };
  const some = (quantity: number, names: readonly string[] = kinds) => ({
    ...asked,
    kinds: names.map((marketHashName) => ({ appId: 730, marketHashName, quantity })),
  });
  expect(await attachRewards(db, some(2), START_MS)).toMatchObject({ ok: true });
  const remove = (name: string) => detachRewards(db, some(1, [name]), START_MS);
  for (const name of kinds) expect(await remove(name)).toMatchObject({ ok: true });
  return { ruleId, remove };
}

const write = (patch: { claimed?: number; recalled?: number }, kindName: string) =>
  db.transaction((tx) =>
    tx.update(endedRewards).set(patch).where(eq(endedRewards.kindName, kindName)).execute(),
  );
const numbers = async () =>
  Object.fromEntries(
    (await db.read.select().from(endedRewards)).map(({ kindName, claimed, recalled }) => [
      kindName,
      [claimed, recalled],
    ]),
  );
const recount = (mend: boolean, of: Database = db) => recountEnded(of, { mend });

test('Numbers of ended rewards that differ are found, and set only when asked', async () => {
  await ruleWithPast();
  await ruleWithPast();
  expect(await recount(false)).toEqual({ found: 0, left: 0 });
  await write({ claimed: 3, recalled: 0 }, 'Demo key');
  expect(await recount(false)).toEqual({ found: 2, left: 2 });
  expect(await numbers()).toEqual({ 'Demo case': [0, 1], 'Demo key': [3, 0] });
  expect(await recount(true)).toEqual({ found: 2, left: 0 });
  expect(await numbers()).toEqual({ 'Demo case': [0, 1], 'Demo key': [0, 1] });
  expect(await recount(true)).toEqual({ found: 0, left: 0 });
});

test('A kind that is missing is counted, and one that nothing ended of is deleted', async () => {
  const { ruleId } = await ruleWithPast();
  await db.transaction(async (tx) => {
    await tx.delete(endedRewards).where(eq(endedRewards.kindName, 'Demo key'));
    const [row] = await tx.select().from(endedRewards).where(eq(endedRewards.ruleId, ruleId));
    await tx.insert(endedRewards).values({ ...row!, kindName: 'Demo knife' });
  });
  expect(await recount(true)).toEqual({ found: 2, left: 0 });
  expect(await numbers()).toEqual({ 'Demo case': [0, 1], 'Demo key': [0, 1] });
});

test('A reward that ends while its rule is counted again is counted once', async () => {
  const { remove } = await ruleWithPast();
  await write({ recalled: 7 }, 'Demo case');
  const before: unknown[] = [];
  const busy: Database = Object.create(db, {
    transaction: {
      async value(...call: Parameters<typeof db.transaction>) {
        if (before.length === 0) expect(await remove('Demo case')).toMatchObject({ ok: true });
        before.push((await numbers())['Demo case']);
        return db.transaction(...call);
      },
    },
  });
  expect(await recount(true, busy)).toEqual({ found: 1, left: 0 });
  // The number counted before the other one ended was not set.
  expect(before).toEqual([
    [0, 8],
    [0, 8],
  ]);
  expect(await numbers()).toEqual({ 'Demo case': [0, 2], 'Demo key': [0, 1] });
});

test('What changes each time while it is counted again is told to be left', async () => {
  await ruleWithPast();
  let wrong = 7;
  await write({ recalled: wrong }, 'Demo case');
  const busy: Database = Object.create(db, {
    transaction: {
      async value(...call: Parameters<typeof db.transaction>) {
        await write({ recalled: ++wrong }, 'Demo case');
        return db.transaction(...call);
      },
    },
  });
  expect(await recount(true, busy)).toEqual({ found: 1, left: 1 });
  expect(await recount(true)).toEqual({ found: 1, left: 0 });
});
