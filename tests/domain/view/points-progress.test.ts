import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { redemptions } from '#db/schema/redemption.ts';
import { minute } from '#domain/kernel/time.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
let viewer: Person;
beforeEach(async () => {
  viewer = await addPerson(db);
});

const progress = async () => (await listProgress(db, { userId: viewer.userId }, START_MS)).rows;
const confirmRefund = (id: string) =>
  db.transaction(async (tx) => {
    await tx.update(redemptions).set({ state: 'refunded', settlement: null }).where(eq(redemptions.id, id));
  });

test('A viewer with refunded points sees why, before and after Twitch confirmed it', async () => {
  const ruleId = await addPointsRule(db, streamer, { rewards: 0 });
  expect(await progress()).toEqual([]);
  const { reported } = await redeem(db, ruleId, viewer);
  expect(await progress()).toMatchObject([
    {
      ruleId,
      progress: { points: { cost: 500, redeemedAtMs: null, met: false } },
      redemption: { points: 'returning', refundReason: 'outOfRewards', redeemedAtMs: START_MS },
    },
  ]);
  await confirmRefund(reported.id);
  expect(await progress()).toMatchObject([
    { redemption: { points: 'returned', refundReason: 'outOfRewards' } },
  ]);
});

test('Only the viewer’s own latest redemption is shown', async () => {
  const ruleId = await addPointsRule(db, streamer, { rewards: 0 });
  await redeem(db, ruleId, viewer);
  await redeem(db, ruleId, viewer, { nowMs: START_MS + minute });
  await redeem(db, ruleId, await addPerson(db), { nowMs: START_MS + 2 * minute });
  expect((await progress()).map(({ redemption }) => redemption?.redeemedAtMs)).toEqual([START_MS + minute]);
});

test('A reward promised for points says that they are kept', async () => {
  const ruleId = await addPointsRule(db, streamer);
  await redeem(db, ruleId, viewer);
  const { rows } = await listMyRewards(db, { userId: viewer.userId, states: ['promised'] });
  expect(rows).toMatchObject([{ ruleId, redemption: { points: 'kept', refundReason: null } }]);
});

test('A rule shows its custom reward’s state, and one without points has none', async () => {
  const ruleOf = async (ruleId: string) => getRule(db, { ruleId, ownerId: streamer.userId });
  const standing = await addPointsRule(db, streamer, { rewards: 0 });
  expect(await ruleOf(standing)).toMatchObject({ customRewardState: 'enabled', customRewardFault: null });
  const fresh = await addRule(db, streamer, { watchMinutes: null, pointsCost: 5, rewards: 0 });
  expect(await ruleOf(fresh)).toMatchObject({ customRewardState: 'missing', customRewardFault: null });
  expect((await ruleOf(await addRule(db, streamer, { rewards: 0 })))?.customRewardState).toBeNull();
});
