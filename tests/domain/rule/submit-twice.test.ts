import { beforeEach, expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
let ruleId: string;
beforeEach(async () => {
  ruleId = await addRule(db, streamer, { rewards: 0 });
  await deposit(db, streamer, [asset(), asset(), asset(), asset()], START_MS - 8 * day);
});

const kinds = (quantity: number) => [{ appId: 730, marketHashName: 'Demo case', quantity }];
const free = async () => (await getRule(db, { ruleId, ownerId: streamer.userId }))?.pool.free;
const attach = (requestId: string, quantity: number) =>
  attachRewards(db, { requestId, ruleId, userId: streamer.userId, kinds: kinds(quantity) }, START_MS);
const detach = (requestId: string, quantity: number) =>
  detachRewards(db, { requestId, ruleId, userId: streamer.userId, kinds: kinds(quantity) }, START_MS);

test('Submitting the same request again attaches nothing more', async () => {
  const requestId = newId(START_MS);
  expect(await attach(requestId, 2)).toEqual({ ok: true, attached: 2 });
  expect(await attach(requestId, 2)).toEqual({ ok: true, attached: 0 });
  expect(await free()).toBe(2);
});

test('Submitting the same request again detaches nothing more', async () => {
  await attach(newId(START_MS), 4);
  const requestId = newId(START_MS);
  expect(await detach(requestId, 1)).toEqual({ ok: true, detached: 1 });
  expect(await detach(requestId, 1)).toEqual({ ok: true, detached: 0 });
  expect(await free()).toBe(3);
});

test('A refused request can be sent again', async () => {
  const requestId = newId(START_MS);
  expect(await attach(requestId, 5)).toEqual({ ok: false, code: 'notEnough' });
  expect(await attach(requestId, 4)).toEqual({ ok: true, attached: 4 });
});
