import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { deferRedemptions } from '#domain/redemption/defer-redemptions.ts';
import { leaseRedemptions, REDEMPTION_LEASE_MS } from '#domain/redemption/lease-redemptions.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { addPointsRule, redeem, redemptionOf } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
const SYSTEM_MS = Date.UTC(2030, 0, 1);
let ruleId: string;
beforeEach(async () => {
  ruleId = await addPointsRule(db, streamer);
});

const refused = async () => (await redeem(db, ruleId, { twitchId: '999000' })).reported;
const lease = (systemMs = SYSTEM_MS, max = 50) => leaseRedemptions(db, max, systemMs);

test('A settlement is leased once, with everything needed to call Twitch', async () => {
  const { id, twitchRewardId } = await refused();
  await redeem(db, ruleId, await addPerson(db));
  const both = await Promise.all([lease(), lease()]);
  const place = { channelId: streamer.twitchId, ruleId, twitchRewardId };
  expect(both.flat()).toEqual([{ id, ...place, settlement: 'refund', attempts: 1 }]);
  expect(await lease(SYSTEM_MS + REDEMPTION_LEASE_MS - 1)).toEqual([]);
});

test('A leased settlement that was never reported is leased again afterwards', async () => {
  const { id } = await refused();
  await lease();
  expect(await lease(SYSTEM_MS + REDEMPTION_LEASE_MS)).toMatchObject([{ id, attempts: 2 }]);
});

test('The number leased at once is limited, and the next process gets the rest', async () => {
  const [one, two, three] = [await refused(), await refused(), await refused()];
  const first = await lease(SYSTEM_MS, 2);
  const rest = await lease(SYSTEM_MS, 2);
  expect([...first, ...rest].map(({ id }) => id).sort()).toEqual([one.id, two.id, three.id].sort());
  expect(first).toHaveLength(2);
});

test('After a failure the pause grows with the attempts, up to ten minutes', async () => {
  const { id } = await refused();
  const pauseAfter = async (attempts: number, random: number) => {
    await deferRedemptions(db, [{ id, attempts }], SYSTEM_MS, { random });
    return (await redemptionOf(db, id)).runAtMs - SYSTEM_MS;
  };
  expect(await pauseAfter(1, 0.5)).toBe(10 * second);
  expect(await pauseAfter(2, 0.5)).toBe(20 * second);
  expect(await pauseAfter(3, 0)).toBe(32 * second);
  expect(await pauseAfter(3, 1)).toBe(48 * second);
  expect(await pauseAfter(100, 0.5)).toBe(10 * minute);
});

test('A settlement confirmed by Twitch is not leased again', async () => {
  const reported = await refused();
  await recordRedemption(db, { ...reported, status: 'CANCELED' }, START_MS);
  expect(await lease()).toEqual([]);
});

test('Settlements of a channel with an invalid grant wait until it is renewed', async () => {
  const { id } = await refused();
  const setState = (state: 'restricted' | 'connected') =>
    db.transaction(async (tx) => {
      await tx.update(twitchAccounts).set({ state }).where(eq(twitchAccounts.twitchId, streamer.twitchId));
    });
  await setState('restricted');
  expect(await lease()).toEqual([]);
  await setState('connected');
  expect(await lease()).toMatchObject([{ id }]);
});
