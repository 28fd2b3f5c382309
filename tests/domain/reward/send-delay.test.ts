import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { transfers } from '#db/schema/transfer.ts';
import { disownAccess } from '#domain/account/disown-access.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { getSendDelay, type SendDelay, setSendDelay } from '#domain/identity/send-delay.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { countQueues } from '#domain/operator/count-queues.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { nextQueuedMs } from '#domain/transfer/next-transfer-due.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { getMyReward } from '#domain/view/list-my-rewards.ts';
import { addPerson, type Person, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const choose = (hours: SendDelay, nowMs = START_MS, isConfirmed = false) =>
  setSendDelay(db, { userId: streamer.userId, hours, isConfirmed }, nowMs);
const settingAt = (nowMs: number) => getSendDelay(db.read, streamer.userId, nowMs);
const letters = async () =>
  (await db.read.select().from(mails)).map(({ values }) => values.change).filter(Boolean);

/** A promise made at a time, under the delay that was chosen before. */
async function promise(nowMs = START_MS): Promise<{ viewer: Person; rewardId: string }> {
  const viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, streamer, [viewer], { nowMs, followDays: null });
  return { viewer, rewardId: rewards[0]!.id };
}

const mine = ({ viewer: { userId }, rewardId }: Awaited<ReturnType<typeof promise>>) =>
  getMyReward(db, { rewardId, userId });

async function claim({ viewer, rewardId }: Awaited<ReturnType<typeof promise>>, nowMs: number) {
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
  if (!claimed.ok) throw new Error(claimed.code);
  const rows = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  return rows.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0]!;
}

test('What a new rule gives is sent after the delay, and can be claimed for as long as ever after it', async () => {
  await choose(24);
  const promised = await promise();
  const sendsFromMs = START_MS + 24 * hour;
  expect(await mine(promised)).toMatchObject({ sendsFromMs, claimUntilMs: sendsFromMs + 72 * hour });
  const [letter] = (await db.read.select().from(mails)).filter(
    ({ template }) => template === 'rewardPromised',
  );
  expect(letter?.values).toMatchObject({ sendsFromMs: String(sendsFromMs) });
  const { id } = await claim(promised, START_MS + hour);
  expect(await sendQueued(db, sendsFromMs - 1)).toEqual([]);
  expect(await nextQueuedMs(db.read, { botId }, START_MS + 2 * hour)).toBe(22 * hour);
  expect(await sendQueued(db, sendsFromMs)).toMatchObject([{ id }]);
});

test('A claim after the delay is sent at once, and so is what an older rule gives', async () => {
  const older = await promise();
  await choose(6);
  const newer = await promise(START_MS + hour);
  await claim(older, START_MS + hour);
  expect(await sendQueued(db, START_MS + hour)).toHaveLength(1);
  const late = START_MS + 8 * hour;
  const { id, sendsFromMs } = await claim(newer, late);
  expect(sendsFromMs).toBe(START_MS + 7 * hour);
  expect(await sendQueued(db, late)).toMatchObject([{ id }]);
});

test('What is held back has no age among the claims that wait', async () => {
  await choose(24);
  await claim(await promise(), START_MS);
  expect((await countQueues(db.read, START_MS + 23 * hour)).claims).toMatchObject({
    waiting: 0,
    oldestAtMs: null,
  });
  expect((await countQueues(db.read, START_MS + 25 * hour)).claims).toMatchObject({
    waiting: 1,
    oldestAtMs: START_MS + 24 * hour,
  });
});

test('Whoever cancels and claims again while it is held back loses and gains no time', async () => {
  await choose(24);
  const promised = await promise();
  const first = await claim(promised, START_MS + hour);
  await cancelTransfer(db, { transferId: first.id, userId: promised.viewer.userId }, START_MS + 5 * hour);
  expect(await mine(promised)).toMatchObject({ state: 'promised', claimUntilMs: START_MS + 96 * hour });
  const second = await claim(promised, START_MS + 6 * hour);
  expect(second.sendsFromMs).toBe(START_MS + 24 * hour);
  expect(await sendQueued(db, START_MS + 24 * hour - 1)).toEqual([]);
  await sendQueued(db, START_MS + 24 * hour);
  await reportTransfer(db, second.id, { event: 'declined' }, START_MS + 25 * hour);
  expect(await claim(promised, START_MS + 26 * hour)).toMatchObject({ state: 'queued' });
});

test('A longer delay is in force at once, without proof and without a mail', async () => {
  for (const hours of [1, 6, 72] as const) {
    expect(await choose(hours)).toMatchObject({ ok: true, hours, next: null });
    expect(await settingAt(START_MS)).toEqual({ hours, next: null });
  }
  expect(await letters()).toEqual([]);
});

test('A shorter delay needs proof, is mailed, and is in force when the present one has passed', async () => {
  await choose(24);
  expect(await choose(1)).toEqual({ ok: false, code: 'identityUnconfirmed' });
  expect(await settingAt(START_MS)).toEqual({ hours: 24, next: null });
  const atMs = START_MS + 24 * hour;
  expect(await choose(1, START_MS, true)).toEqual({ ok: true, hours: 24, next: { hours: 1, atMs } });
  expect(await letters()).toEqual(['sendDelayLowered']);
  expect(await settingAt(atMs - 1)).toEqual({ hours: 24, next: { hours: 1, atMs } });
  expect(await settingAt(atMs)).toEqual({ hours: 1, next: null });
});

test('Chosen again, a shorter delay neither comes sooner nor later', async () => {
  await choose(24);
  await choose(0, START_MS, true);
  await choose(0, START_MS + hour, true);
  expect((await settingAt(START_MS + hour)).next).toEqual({ hours: 0, atMs: START_MS + 24 * hour });
  // Another one waits from its own choice.
  await choose(1, START_MS + 2 * hour, true);
  expect((await settingAt(START_MS + 2 * hour)).next).toEqual({ hours: 1, atMs: START_MS + 26 * hour });
  expect(await letters()).toEqual(['sendDelayLowered', 'sendDelayLowered']);
});

test('Whoever sees that it was lowered keeps the present delay without proof', async () => {
  await choose(6);
  await choose(0, START_MS, true);
  expect(await choose(6, START_MS + 5 * hour)).toMatchObject({ ok: true, hours: 6, next: null });
  expect(await settingAt(START_MS + 100 * hour)).toEqual({ hours: 6, next: null });
});

test('A lowered delay speeds up nothing that was promised before, nor what its rule promises later', async () => {
  await choose(6);
  const promised = await promise();
  await choose(0, START_MS, true);
  await claim(promised, START_MS + minute);
  expect(await sendQueued(db, START_MS + 6 * hour - 1)).toEqual([]);
  expect(await sendQueued(db, START_MS + 6 * hour)).toHaveLength(1);
  // The next rule has none.
  const later = await promise(START_MS + 6 * hour);
  await claim(later, START_MS + 6 * hour);
  expect(await sendQueued(db, START_MS + 6 * hour)).toHaveLength(1);
});

test('The link of the mail about a shorter delay undoes it', async () => {
  await choose(24);
  await choose(0, START_MS, true);
  const [letter] = (await db.read.select().from(mails)).filter(
    ({ values }) => values.change === 'sendDelayLowered',
  );
  const token = letter?.values.token ?? '';
  expect(await disownAccess(db, { token }, START_MS + 23 * hour)).toMatchObject({ ok: true });
  expect(await settingAt(START_MS + 100 * hour)).toEqual({ hours: 24, next: null });
});
