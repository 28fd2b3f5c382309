import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { settleRedemptions } from '#bot/twitch/points/redemption-settler.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { CHECKS_APART_MS } from '#domain/channel/absence.ts';
import { leaseRedemptions } from '#domain/redemption/lease-redemptions.ts';
import { MAX_MISSED_POLLS } from '#domain/redemption/record-missing-redemption.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { redemptionOf } from '#tests/support/redemptions.ts';
import { givenAlone, goOn, recordOf, redeem, setPointsChannel, statusOf } from './points-stage.ts';
import { type Stage, setStage } from './stage.ts';

const redemptionsPath = '/mock/channel_points/custom_rewards/redemptions';

/** Viewers without an account have redeemed and are to be refunded; the process that recorded this has ended. */
async function setReporter(stage: Stage, strangers = 1) {
  const channel = await setPointsChannel(stage);
  await channel.bot.stop();
  const made = [];
  for (let n = 0; n < strangers; n += 1) {
    const { id: twitchId } = stage.world.addUser({ login: `demo_stranger_${n}` });
    const { id, redeemedAtMs } = redeem(stage, channel, { twitchId });
    const { twitchRewardId } = channel;
    const reported = { id, twitchRewardId, twitchId, redeemedAtMs, status: 'UNFULFILLED' } as const;
    await recordRedemption(stage.db, reported, stage.clock.now());
    made.push(reported);
  }
  return { ...channel, made, ids: made.map(({ id }) => id), reporter: settleRedemptions(givenAlone(stage)) };
}

const makeDue = (stage: Stage, id: string, facts: { attempts?: number; missedPolls?: number } = {}) =>
  stage.db.transaction(async (tx) => {
    await tx
      .update(redemptions)
      .set({ runAtMs: 0, ...facts })
      .where(eq(redemptions.id, id));
  });

describe('Settling redemptions on Twitch without events', () => {
  test('a whole crowd is refunded in calls of fifty', async () => {
    const stage = await setStage();
    const { channelId, ids } = await setReporter(stage, 53);
    const alone = givenAlone(stage);
    const sizes: number[] = [];
    const settle: typeof alone.points.settle = (channel, reward, some, status) => {
      sizes.push(some.length);
      return alone.points.settle(channel, reward, some, status);
    };
    const reporter = settleRedemptions({ ...alone, points: { ...alone.points, settle } });
    // Twurple repeats a call whose connection was lost, which a busy machine does now and then.
    stage.world.faults.failNext({ answer: 'drop', path: redemptionsPath, method: 'PATCH' });
    stage.world.faults.failNext({ answer: 400, path: redemptionsPath, method: 'PATCH', times: 10 });
    await reporter.round(goOn());
    expect(sizes).toEqual([50, 3]);
    stage.world.faults.clear();
    for (const id of ids) await makeDue(stage, id);
    await reporter.round(goOn());
    expect(sizes).toEqual([50, 3, 50, 3]);
    expect(new Set(ids.map((id) => statusOf(stage, channelId, id)))).toEqual(new Set(['CANCELED']));
    for (const id of ids) expect((await redemptionOf(stage.db, id)).state).toBe('refunded');
  });

  test('after a lost answer the status is read first, and recorded', async () => {
    const stage = await setStage();
    const { channelId, ids, reporter } = await setReporter(stage);
    const [id] = ids as [string];
    stage.world.faults.failNext({
      answer: 'drop',
      afterEffect: true,
      path: redemptionsPath,
      method: 'PATCH',
    });
    // Twurple retries the lost call, and learns that there is nothing to settle.
    await reporter.round(goOn());
    expect(statusOf(stage, channelId, id)).toBe('CANCELED');
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'open', settlement: 'refund' });
    await makeDue(stage, id);
    stage.world.faults.failNext({ answer: 500, path: redemptionsPath, method: 'PATCH' });
    await reporter.round(goOn());
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'refunded', attempts: 2 });
    expect(stage.world.faults.pending().requests).toHaveLength(1);
  });

  test('a process killed after Twitch settled is followed by one that finds out', async () => {
    const stage = await setStage();
    const { channelId, ids, reporter } = await setReporter(stage);
    const [id] = ids as [string];
    await leaseRedemptions(stage.db, 1, Date.now());
    stage.world.channelPoints.setStatus(id, 'CANCELED');
    await reporter.round(goOn());
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'open' });
    await makeDue(stage, id);
    await reporter.round(goOn());
    expect(statusOf(stage, channelId, id)).toBe('CANCELED');
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'refunded', settlement: null });
  });

  test('one fulfilled by hand does not hold up the others', async () => {
    const stage = await setStage();
    const { channelId, ids, reporter } = await setReporter(stage, 3);
    const [saved, ...others] = ids as [string, ...string[]];
    stage.world.channelPoints.setStatus(saved, 'FULFILLED');
    await reporter.round(goOn());
    for (const id of ids) await makeDue(stage, id);
    await reporter.round(goOn());
    expect(others.map((id) => statusOf(stage, channelId, id))).toEqual(['CANCELED', 'CANCELED']);
    const states = await Promise.all(ids.map((id) => redemptionOf(stage.db, id)));
    expect(states.map(({ state }) => state)).toEqual(['fulfilled', 'refunded', 'refunded']);
  });

  test('deleting the custom reward by hand ends redemptions that Twitch counts as fulfilled', async () => {
    const stage = await setStage();
    const { ids, reporter, ruleId, twitchRewardId } = await setReporter(stage);
    stage.world.channelPoints.deleteReward(twitchRewardId);
    await reporter.round(goOn());
    expect(await redemptionOf(stage.db, ids[0] ?? '')).toMatchObject({ state: 'open' });
    stage.advance(CHECKS_APART_MS);
    await makeDue(stage, ids[0] ?? '');
    await reporter.round(goOn());
    expect(await redemptionOf(stage.db, ids[0] ?? '')).toMatchObject({ state: 'fulfilled' });
    expect(await recordOf(stage, ruleId)).toMatchObject({ state: 'missing', twitchRewardId: null });
  });

  test('a redemption that Twitch no longer knows is checked for a long time, and then counts as settled', async () => {
    const stage = await setStage();
    const { reporter, made } = await setReporter(stage);
    const forgotten = { ...(made[0] as (typeof made)[0]), id: 'forgotten-by-twitch' };
    await recordRedemption(stage.db, forgotten, stage.clock.now());
    const { id } = forgotten;
    await makeDue(stage, id, { attempts: 1, missedPolls: MAX_MISSED_POLLS - 2 });
    await reporter.round(goOn());
    expect(await redemptionOf(stage.db, id)).toMatchObject({
      state: 'open',
      missedPolls: MAX_MISSED_POLLS - 1,
    });
    await makeDue(stage, id);
    await reporter.round(goOn());
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'refunded' });
  });

  test('a failed read is no evidence: an empty answer after it ends nothing', async () => {
    const stage = await setStage();
    const { channelId, ids } = await setReporter(stage);
    const [id] = ids as [string];
    const alone = givenAlone(stage);
    const down = async () => {
      throw new Error('Twitch is down');
    };
    const inOutage = settleRedemptions({ ...alone, points: { ...alone.points, read: down, settle: down } });
    for (let n = 0; n < MAX_MISSED_POLLS + 1; n += 1) {
      await makeDue(stage, id);
      await inOutage.round(goOn());
    }
    const empty = settleRedemptions({ ...alone, points: { ...alone.points, read: async () => [] } });
    await makeDue(stage, id);
    await empty.round(goOn());
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'open', missedPolls: 1 });
    await makeDue(stage, id);
    await settleRedemptions(alone).round(goOn());
    expect(statusOf(stage, channelId, id)).toBe('CANCELED');
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'refunded', missedPolls: 0 });
  });

  test('a settlement recorded by mistake is repeated when Twitch still lists the redemption', async () => {
    const stage = await setStage();
    const { channelId, ids, made, reporter } = await setReporter(stage);
    const [id] = ids as [string];
    const alone = givenAlone(stage);
    const empty = settleRedemptions({ ...alone, points: { ...alone.points, read: async () => [] } });
    await makeDue(stage, id, { attempts: 1, missedPolls: MAX_MISSED_POLLS - 1 });
    await empty.round(goOn());
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'refunded' });
    expect(statusOf(stage, channelId, id)).toBe('UNFULFILLED');
    // It is still in the queue, and a list shows it.
    for (const reported of made) await recordRedemption(stage.db, reported, stage.clock.now());
    await reporter.round(goOn());
    expect(statusOf(stage, channelId, id)).toBe('CANCELED');
    expect(await redemptionOf(stage.db, id)).toMatchObject({ state: 'refunded', missedPolls: 0 });
  });
});
