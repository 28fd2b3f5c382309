import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { recheckRuleOwners } from '#domain/transfer/recheck-rule-owners.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { database, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('A claim that does not name the owner of its rule is found, and names them when asked', async () => {
  const viewer = await addPerson(database);
  const { rewards } = await promiseTo(database, streamer, [viewer]);
  const rewardId = rewards[0]!.id;
  await claimReward(database, { rewardId, userId: viewer.userId }, START_MS);
  const owners = async () =>
    Object.fromEntries(
      (await database.read.select().from(transfers)).map(({ kind, ruleOwnerId }) => [kind, ruleOwnerId]),
    );
  const right = { deposit: null, claim: streamer.userId };
  expect(await owners()).toEqual(right);
  expect(await recheckRuleOwners(database, { mend: false })).toBe(0);
  for (const ruleOwnerId of [null, viewer.userId]) {
    await database.transaction((tx) =>
      tx.update(transfers).set({ ruleOwnerId }).where(eq(transfers.rewardId, rewardId)).execute(),
    );
    expect(await recheckRuleOwners(database, { mend: false })).toBe(1);
    expect(await recheckRuleOwners(database, { mend: true })).toBe(1);
    expect(await owners()).toEqual(right);
  }
  expect(await recheckRuleOwners(database, { mend: true })).toBe(0);
});
