import { expect, test } from 'vitest';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { listRulePromises, listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { acceptOffer, addPerson, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { owned } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

async function seenByOwner(ruleId: string) {
  const ownerId = streamer.userId;
  const [listed] = (await listRules(db, { ownerId })).rows;
  const rule = await getRule(db, { ruleId, ownerId });
  const [kind] = await listRuleRewards(db, owned(ruleId));
  const [promise] = (await listRulePromises(db, owned(ruleId))).rows;
  expect(listed?.preparing).toBe(rule?.preparing);
  expect(kind?.preparing).toBe(rule?.preparing);
  return [promise?.state, promise?.transferState, rule?.pool.reserved, rule?.preparing];
}

test("A claim's offer is in preparation until it is on Steam, and its delivery becomes final", async () => {
  const viewer = await addPerson(db);
  const { ruleId, rewards } = await promiseTo(db, streamer, [viewer]);
  expect(await seenByOwner(ruleId)).toEqual(['promised', null, 0, 0]);
  await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  expect(await seenByOwner(ruleId)).toEqual(['reserved', 'queued', 1, 1]);
  const [sent] = await sendQueued(db, START_MS);
  expect(await seenByOwner(ruleId)).toEqual(['reserved', 'sent', 1, 0]);
  await acceptOffer(db, sent!.id, [], START_MS);
  expect(await seenByOwner(ruleId)).toEqual(['claimed', 'accepted', 0, 0]);
  await reportTransfer(db, sent!.id, { event: 'settled' }, START_MS);
  expect(await seenByOwner(ruleId)).toEqual(['claimed', 'settled', 0, 0]);
});
