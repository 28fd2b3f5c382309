import { beforeEach, expect, test } from 'vitest';
import { sendingStops } from '#db/schema/sending-stop.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { extendClaimWindows } from '#domain/reward/extend-claim-windows.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addPerson, type Person, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

// Before the bots' last heartbeat, so that there is no outage besides.
const SYSTEM_MS = Date.now() - 100 * hour;
const UNTIL_MS = START_MS + 72 * hour;
const operatorId = 'the-operator';

setScene();

let viewers: Person[];
let ruleId: string;
beforeEach(async () => {
  viewers = [await addPerson(db), await addPerson(db)];
  ({ ruleId } = await promiseTo(db, streamer, viewers));
});

const at = (hours: number) => ({ nowMs: START_MS + hours * hour, systemMs: SYSTEM_MS + hours * hour });
const stop = (hours: number) => stopSending(db, { operatorId }, at(hours));
async function resume(hours: number) {
  const ended = await resumeSending(db, { operatorId }, at(hours));
  await extendClaimWindows(db, at(hours).nowMs);
  return ended;
}
const promises = async () => (await rewardsOf(db, ruleId)).filter(({ userId }) => userId !== null);
async function claim(viewer: Person | undefined, nowMs: number) {
  const reward = (await promises()).find(({ userId }) => userId === viewer?.userId);
  const systemMs = SYSTEM_MS + nowMs - START_MS;
  return claimReward(db, { rewardId: reward?.id ?? '', userId: viewer?.userId ?? '' }, nowMs, systemMs);
}

test('While sending is stopped, claims wait and nothing is sent; then everything is', async () => {
  expect(await stop(0)).toBe(true);
  expect(await claim(viewers[0], START_MS)).toMatchObject({ ok: true });
  expect(await sendQueued(db, START_MS + hour)).toEqual([]);
  expect(await resume(2)).toBe(true);
  expect(await sendQueued(db, START_MS + 2 * hour)).toHaveLength(1);
});

test('A promise does not run out while sending is stopped, and its viewer gets that time back', async () => {
  await stop(71);
  expect(await expirePromises(db, UNTIL_MS + hour, SYSTEM_MS)).toBe(0);
  expect(await getOutageMs(db.read, at(75).systemMs)).toBe(4 * hour);
  expect(await claim(viewers[0], UNTIL_MS + 2 * hour)).toMatchObject({ ok: true });
  await resume(75);
  expect(await getOutageMs(db.read, at(75).systemMs)).toBe(0);
  expect((await promises()).map(({ claimUntilMs }) => claimUntilMs)).toEqual([
    UNTIL_MS + 4 * hour,
    UNTIL_MS + 4 * hour,
  ]);
  expect(await expirePromises(db, UNTIL_MS + 4 * hour - 1, SYSTEM_MS)).toBe(0);
});

test('A promise that was made while sending was stopped gets the time since then', async () => {
  const later = await addPerson(db);
  const { ruleId: other } = await promiseTo(db, streamer, [later], { nowMs: at(70).nowMs });
  await stop(0);
  await resume(75);
  const made = (await rewardsOf(db, other)).find(({ userId }) => userId === later.userId);
  expect(made?.claimUntilMs).toBe(at(70 + 72 + 5).nowMs);
  expect((await promises())[0]?.claimUntilMs).toBe(UNTIL_MS + 75 * hour);
});

test('A promise whose offer ends unanswered while sending is stopped stays its viewer’s', async () => {
  await claim(viewers[0], START_MS);
  const [sent] = await sendQueued(db, START_MS);
  await stop(71);
  await reportTransfer(db, sent?.id ?? '', { event: 'expired' }, UNTIL_MS + hour);
  expect((await promises()).map(({ state }) => state)).toEqual(['promised', 'promised']);
  await resume(75);
  expect(await claim(viewers[0], UNTIL_MS + 3 * hour)).toMatchObject({ ok: true });
});

test('A second stop or end changes nothing, and it is recorded who did what and when', async () => {
  expect(await resume(0)).toBe(false);
  expect([await stop(1), await stop(2)]).toEqual([true, false]);
  expect(await findSendingStop(db.read)).toMatchObject({
    stoppedAtMs: at(1).nowMs,
    stoppedBy: operatorId,
  });
  const ends = await Promise.all([resume(3), resume(3)]);
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(await findSendingStop(db.read)).toBeNull();
  expect(await db.read.select().from(sendingStops)).toMatchObject([
    { stoppedBy: operatorId, resumedBy: operatorId, resumedAtMs: at(3).nowMs },
  ]);
  expect((await promises())[0]?.claimUntilMs).toBe(UNTIL_MS + 2 * hour);
});
