import { expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { countWork } from '#domain/operator/count-work.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addRule, asset, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('What is under way is counted with the age of the oldest, and what has ended is not', async () => {
  expect(await countWork(db.read, START_MS)).toEqual({
    transfers: [],
    expiringPromises: 0,
    freeRewards: 0,
  });
  // The deposit of these rewards has ended.
  await addRule(db, streamer, { rewards: 2 });
  for (const atMs of [START_MS + hour, START_MS + 2 * hour]) {
    const request = { requestId: newId(atMs), userId: streamer.userId, assets: [asset()] };
    expect(await requestDeposit(db, request, atMs, Date.now())).toMatchObject({ ok: true });
  }
  const work = await countWork(db.read, START_MS + 3 * hour);
  expect(work.transfers).toEqual([
    { kind: 'deposit', state: 'queued', count: 2, oldestAtMs: START_MS + hour },
  ]);
  expect(work.freeRewards).toBe(2);
});
