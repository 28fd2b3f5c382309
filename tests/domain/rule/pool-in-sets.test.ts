import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { events } from '#db/schema/outbox.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { countStatements } from '#tests/support/counting-statements.ts';
import { addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const cases = (quantity: number) => [{ appId: 730, marketHashName: 'Demo case', quantity }];

/** A rule and as many cases as can be attached to it. */
async function ruleBeside(amount: number): Promise<string> {
  const assets = Array.from({ length: amount }, () => asset());
  await deposit(db, streamer, assets, START_MS - 8 * day);
  return addRule(db, streamer, { rewards: 0 });
}

const attach = (ruleId: string, amount: number) =>
  attachRewards(db, { ruleId, userId: streamer.userId, kinds: cases(amount) }, START_MS);
const detach = (ruleId: string, amount: number) =>
  detachRewards(db, { ruleId, userId: streamer.userId, kinds: cases(amount) }, START_MS);
const close = (ruleId: string, nowMs: number) => closeRule(db, { ruleId, userId: streamer.userId }, nowMs);

// The statements are the same on both databases.
test.skipIf(isPostgres)('Many rewards are attached and detached with as many statements as one', async () => {
  const counts: Record<string, number[]> = { attach: [], detach: [], close: [] };
  for (const [time, amount] of [1, 1, 40].entries()) {
    const [one, other] = [await ruleBeside(amount), await ruleBeside(amount)];
    counts.attach?.push(await countStatements(() => attach(one, amount)));
    counts.detach?.push(await countStatements(() => detach(one, amount)));
    await attach(other, amount);
    counts.close?.push(await countStatements(() => close(other, START_MS + time * day)));
  }
  // The first of each prepares its statements.
  for (const [what, [, single, many]] of Object.entries(counts)) expect(many, what).toBe(single);
});

test('Many rewards are attached in the order in which their items came', async () => {
  const ruleId = await ruleBeside(40);
  expect(await attach(ruleId, 40)).toEqual({ ok: true, attached: 40 });
  const itemIds = (await rewardsOf(db, ruleId)).map(({ itemId }) => itemId);
  expect(itemIds).toEqual([...itemIds].sort());
});

test('Rewards that leave their rule are announced as one change of it', async () => {
  const ruleId = await ruleBeside(40);
  await attach(ruleId, 40);
  const announced = async () => {
    const rows = await db.read.select().from(events);
    return rows.map(({ kind, subjectId }) => `${kind} ${subjectId === ruleId ? 'rule' : 'other'}`);
  };
  const before = (await announced()).length;
  await detach(ruleId, 30);
  await close(ruleId, START_MS);
  expect(new Set((await announced()).slice(before))).toEqual(new Set(['rule.changed rule']));
});
