import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { endedPromises } from '#bot/metrics.ts';
import { startHousekeeping } from '#bot/workers/start-housekeeping.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { items } from '#db/schema/item.ts';
import { events, mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { addBot } from '#tests/support/fixtures.ts';
import { holdItem, promiseReward } from '#tests/support/promised-reward.ts';
import { setSteamStage } from '#tests/support/steam-stage.ts';

test('Custody is audited at the first start, mailed to the operator, and not again with every nudge or start', async () => {
  const stage = await setSteamStage();
  const [first, second] = [await holdItem(stage), await holdItem(stage)];
  const setBack = (itemId: string) =>
    stage.db.transaction((tx) => tx.update(items).set({ state: 'gone' }).where(eq(items.id, itemId)));
  const drifted = async () => (await stage.db.read.select().from(custodyDrifts)).map(({ itemId }) => itemId);
  await setBack(first.itemId);
  const deps = stage.deps([]);
  const operatorEmail = 'operator@example.org';
  const housekeeping = startHousekeeping({ ...deps, config: { ...deps.config, operatorEmail } });
  onTestFinished(() => housekeeping.stop());
  await expect.poll(drifted).toEqual([first.itemId]);
  await expect
    .poll(() => stage.db.read.select().from(mails).where(eq(mails.recipient, operatorEmail)))
    .toMatchObject([{ template: 'custodyDrift', values: { items: '1' } }]);
  await setBack(second.itemId);
  const past = { id: newId(1), userId: 'nobody', kind: 'rule.changed', subjectId: 'none', atMs: 1 };
  await stage.db.transaction((tx) => tx.insert(events).values(past));
  housekeeping.nudge();
  // Other workers were woken: old rows are deleted.
  await expect.poll(() => stage.db.read.select().from(events).where(eq(events.id, past.id))).toEqual([]);
  await housekeeping.stop();
  expect(await drifted()).toEqual([first.itemId]);
  await stage.db.transaction((tx) => tx.insert(events).values(past));
  const again = startHousekeeping(deps);
  onTestFinished(() => again.stop());
  // It has begun, and reads only old rows.
  await expect.poll(() => stage.db.read.select().from(events).where(eq(events.id, past.id))).toEqual([]);
  await again.stop();
  expect(await drifted()).toEqual([first.itemId]);
});

test('Promises that time out are counted', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await stage.db.transaction((tx) =>
    tx.update(rewards).set({ claimUntilMs: 1 }).where(eq(rewards.id, rewardId)),
  );
  const counted = async () => (await endedPromises.get()).values[0]?.value ?? 0;
  const before = await counted();
  // An outage would stop the claim clock.
  await addBot(stage.db, 'alive');
  const housekeeping = startHousekeeping(stage.deps([]));
  onTestFinished(() => housekeeping.stop());
  await expect.poll(counted).toBe(before + 1);
});
