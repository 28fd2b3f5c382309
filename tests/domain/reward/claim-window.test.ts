import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bots, outages } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { HEARTBEAT_INTERVAL_MS, recordHeartbeat, SILENT_AFTER_MS } from '#domain/bot/record-heartbeat.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { extendClaimWindows } from '#domain/reward/extend-claim-windows.ts';
import { nextPromiseEndMs } from '#domain/reward/next-promise-end.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  addBot,
  addPerson,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';

const SYSTEM_MS = Date.UTC(2030, 0, 1);
const UNTIL_MS = START_MS + 72 * hour;
let db: TestDatabase;
let botId: string;
let viewer: Person;
let ruleId: string;
let rewardId: string;
beforeEach(async () => {
  db = await openTestDatabase();
  botId = await addBot(db);
  viewer = await addPerson(db);
  const made = await promiseTo(db, await addStreamer(db), [viewer]);
  ruleId = made.ruleId;
  rewardId = made.rewards[0]!.id;
  await lastHeartbeat(SYSTEM_MS);
});
afterEach(() => db.close());

const lastHeartbeat = (systemMs: number, id = botId) =>
  db.transaction(async (tx) => {
    await tx.update(bots).set({ heartbeatAtMs: systemMs }).where(eq(bots.id, id));
  });
const rewardNow = async () => (await rewardsOf(db, ruleId)).find(({ id }) => id === rewardId);
const claim = (nowMs: number) => claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
const expire = (nowMs: number, systemMs = SYSTEM_MS) => expirePromises(db, nowMs, systemMs);

test('A promise can be claimed until its window ends, and expires at that time', async () => {
  expect(await expire(UNTIL_MS - 1)).toBe(0);
  expect(await claim(UNTIL_MS)).toEqual({ ok: false, code: 'timedOut' });
  expect(await expire(UNTIL_MS)).toBe(1);
  expect(await rewardNow()).toMatchObject({ state: 'recalled', recallReason: 'timedOut' });
  expect(await claim(UNTIL_MS - 1)).toEqual({ ok: false, code: 'timedOut' });
  expect(await expire(UNTIL_MS)).toBe(0);
  expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['recalled', 'free']);
});

test('The next end of a claim window is that of a promise, not of a claim under way', async () => {
  const next = () => nextPromiseEndMs(db.read, START_MS);
  expect(await next()).toBe(72 * hour);
  const other = await addStreamer(db);
  const sooner = await addPerson(db);
  const { rewards } = await promiseTo(db, other, [sooner], { claimTimeoutHours: 5 });
  const later = await addPerson(db);
  await promiseTo(db, other, [later], { claimTimeoutHours: 9 });
  expect(await next()).toBe(5 * hour);
  await claimReward(db, { rewardId: rewards[0]!.id, userId: sooner.userId }, START_MS);
  expect(await next()).toBe(9 * hour);
});

test('A promise does not run out while its item is missing: it is kept a day at a time', async () => {
  const { itemId } = (await rewardNow())!;
  const setItem = (state: 'missing' | 'held') =>
    db.transaction(async (tx) => {
      await tx.update(items).set({ state }).where(eq(items.id, itemId));
    });
  await setItem('missing');
  const seenMs = UNTIL_MS + hour;
  expect(await expire(seenMs)).toBe(0);
  const extended = { state: 'promised', claimUntilMs: seenMs + day, claimShiftedMs: day + hour };
  expect(await rewardNow()).toMatchObject(extended);
  expect(await expire(seenMs + day - 1)).toBe(0);
  expect(await rewardNow()).toMatchObject(extended);
  await setItem('held');
  expect(await expire(seenMs + day)).toBe(1);
  expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['recalled', 'free']);
});

test('Of promises that ran out together, the item of the one that ended first goes to the next in line', async () => {
  const streamer = await addStreamer(db);
  const viewers = [viewer, await addPerson(db), await addPerson(db)];
  const made = await promiseTo(db, streamer, viewers, { rewards: 2 });
  const [first, second] = made.rewards.filter(({ state }) => state === 'promised');
  await db.transaction((tx) =>
    tx
      .update(rewards)
      .set({ claimUntilMs: UNTIL_MS - hour })
      .where(eq(rewards.id, second!.id)),
  );
  await expire(UNTIL_MS);
  const again = (await rewardsOf(db, made.ruleId)).slice(2);
  expect(again.map(({ itemId, state }) => [itemId, state])).toEqual([
    [second!.itemId, 'promised'],
    [first!.itemId, 'free'],
  ]);
});

test('A claimed reward does not expire while its offer is running', async () => {
  expect((await claim(UNTIL_MS - 1)).ok).toBe(true);
  expect(await expire(UNTIL_MS + hour)).toBe(0);
  expect((await rewardNow())?.state).toBe('reserved');
});

/** A bot's heartbeat, and the consequences of an outage that it ends. */
async function heartbeatOf(bot: string, systemMs: number, nowMs = START_MS + systemMs - SYSTEM_MS) {
  const outageMs = await recordHeartbeat(db, bot, { systemMs, nowMs });
  await extendClaimWindows(db, nowMs);
  return outageMs;
}

test('Nothing expires while no bot is alive', async () => {
  expect(await expire(UNTIL_MS, SYSTEM_MS + SILENT_AFTER_MS)).toBe(0);
  expect((await rewardNow())?.state).toBe('promised');
  expect(await expire(UNTIL_MS, SYSTEM_MS + SILENT_AFTER_MS - 1)).toBe(1);
});

test('The first heartbeat after an outage extends the windows by its length', async () => {
  expect(await heartbeatOf(botId, SYSTEM_MS + HEARTBEAT_INTERVAL_MS)).toBe(0);
  expect(await heartbeatOf(botId, SYSTEM_MS + HEARTBEAT_INTERVAL_MS + SILENT_AFTER_MS)).toBe(0);
  const backMs = SYSTEM_MS + HEARTBEAT_INTERVAL_MS + SILENT_AFTER_MS + 5 * hour;
  expect(await heartbeatOf(botId, backMs)).toBe(5 * hour);
  expect((await rewardNow())?.claimUntilMs).toBe(UNTIL_MS + 5 * hour);
  expect(await expire(UNTIL_MS, backMs)).toBe(0);
  expect(await expire(UNTIL_MS + 5 * hour, backMs)).toBe(1);
});

test('A promise can be claimed after its window during an outage, which extends the window', async () => {
  const late = UNTIL_MS + hour;
  const claimAt = (systemMs: number) => claimReward(db, { rewardId, userId: viewer.userId }, late, systemMs);
  expect(await claimAt(SYSTEM_MS + SILENT_AFTER_MS)).toEqual({ ok: false, code: 'timedOut' });
  expect(await getOutageMs(db.read, SYSTEM_MS + SILENT_AFTER_MS)).toBe(0);
  expect(await getOutageMs(db.read, SYSTEM_MS + 2 * hour)).toBe(2 * hour);
  expect((await claimAt(SYSTEM_MS + 2 * hour)).ok).toBe(true);
  await heartbeatOf(botId, SYSTEM_MS + 2 * hour, late);
  expect(await rewardNow()).toMatchObject({ state: 'reserved', claimUntilMs: UNTIL_MS + 2 * hour });
});

test('Outages after a reward’s end are not shown with it', async () => {
  await heartbeatOf(botId, SYSTEM_MS + 5 * hour);
  expect(await expire(UNTIL_MS + 5 * hour, SYSTEM_MS + 5 * hour)).toBe(1);
  await heartbeatOf(botId, SYSTEM_MS + 6 * hour, UNTIL_MS + 7 * hour);
  const { rows } = await listMyRewards(db, { userId: viewer.userId, states: ['recalled'] });
  expect(rows).toMatchObject([
    { claimShiftedMs: 5 * hour, outages: [{ fromMs: START_MS, untilMs: START_MS + 5 * hour }] },
  ]);
});

test('The length and outages of an extension are shown with the reward', async () => {
  await heartbeatOf(botId, SYSTEM_MS + 5 * hour);
  await heartbeatOf(botId, SYSTEM_MS + 7 * hour);
  await db.transaction(async (tx) => {
    await tx.insert(outages).values({ id: 'older', endedAtMs: START_MS - 1, lastedMs: hour });
  });
  const { rows } = await listMyRewards(db, { userId: viewer.userId, states: ['promised'] });
  expect(rows).toMatchObject([
    {
      claimUntilMs: UNTIL_MS + 7 * hour,
      claimShiftedMs: 7 * hour,
      outages: [
        { fromMs: START_MS, untilMs: START_MS + 5 * hour },
        { fromMs: START_MS + 5 * hour, untilMs: START_MS + 7 * hour },
      ],
    },
  ]);
});

test('A promise that was made during an outage gets back what it lost, and no more', async () => {
  const madeMs = START_MS + 4 * hour;
  const late = await addPerson(db);
  const { ruleId: other } = await promiseTo(db, await addStreamer(db), [late], { nowMs: madeMs });
  await heartbeatOf(botId, SYSTEM_MS + 5 * hour);
  const promised = (await rewardsOf(db, other)).find(({ userId }) => userId === late.userId);
  expect(promised).toMatchObject({ claimUntilMs: madeMs + 73 * hour, claimShiftedMs: hour });
  const { rows } = await listMyRewards(db, { userId: late.userId, states: ['promised'] });
  expect(rows).toMatchObject([{ outages: [{ fromMs: madeMs, untilMs: START_MS + 5 * hour }] }]);
  // The clock was set back since the promise.
  await heartbeatOf(botId, SYSTEM_MS + 6 * hour + SILENT_AFTER_MS, START_MS);
  expect((await rewardNow())?.claimShiftedMs).toBe(5 * hour);
});

test('The window of a reward being claimed is extended too', async () => {
  await claim(START_MS);
  const [leased] = await sendQueued(db, START_MS);
  await heartbeatOf(botId, SYSTEM_MS + 5 * hour);
  await reportTransfer(db, leased!.id, { event: 'declined' }, UNTIL_MS + hour);
  expect(await rewardNow()).toMatchObject({ state: 'promised', claimUntilMs: UNTIL_MS + 5 * hour });
  const [transfer] = await db.read.select().from(transfers).where(eq(transfers.id, leased!.id));
  expect(transfer?.state).toBe('declined');
});

test('One living bot keeps time running, and two that return extend the windows once', async () => {
  const second = await addBot(db);
  await lastHeartbeat(SYSTEM_MS, second);
  await heartbeatOf(second, SYSTEM_MS + minute);
  expect(await heartbeatOf(botId, SYSTEM_MS + 2 * minute)).toBe(0);
  const backMs = SYSTEM_MS + 2 * hour;
  const moved = await Promise.all([heartbeatOf(botId, backMs), heartbeatOf(second, backMs)]);
  expect(moved.sort()).toEqual([0, 2 * hour - 2 * minute]);
  expect((await rewardNow())?.claimUntilMs).toBe(UNTIL_MS + 2 * hour - 2 * minute);
});

test('The very first heartbeat of an instance ends no outage', async () => {
  await lastHeartbeat(0);
  expect(await heartbeatOf(botId, SYSTEM_MS)).toBe(0);
  expect((await rewardNow())?.claimUntilMs).toBe(UNTIL_MS);
});
