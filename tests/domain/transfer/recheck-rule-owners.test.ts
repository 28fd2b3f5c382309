import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { recheckRuleOwners } from '#domain/transfer/recheck-rule-owners.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('A claim that does not name the owner of its rule is found, and names them when asked', async () => {
  const viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  const rewardId = rewards[0]!.id;
  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  const owners = async () =>
    Object.fromEntries(
      (await db.read.select().from(transfers)).map(({ kind, ruleOwnerId }) => [kind, ruleOwnerId]),
    );
  const right = { deposit: null, claim: streamer.userId };
  expect(await owners()).toEqual(right);
  expect(await recheckRuleOwners(db, { mend: false })).toBe(0);
  for (const ruleOwnerId of [null, viewer.userId]) {
    await db.transaction((tx) =>
      tx.update(transfers).set({ ruleOwnerId }).where(eq(transfers.rewardId, rewardId)).execute(),
    );
    expect(await recheckRuleOwners(db, { mend: false })).toBe(1);
    expect(await recheckRuleOwners(db, { mend: true })).toBe(1);
    expect(await owners()).toEqual(right);
  }
  expect(await recheckRuleOwners(db, { mend: true })).toBe(0);
});
