import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { extendClaimWindow } from '#domain/reward/extend-claim-window.ts';
import { extendClaimWindows } from '#domain/reward/extend-claim-windows.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { prepareMail } from '#domain/view/prepare-mail.ts';
import { addPerson, type Person, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
let viewer: Person;
let rewardId: string;
beforeEach(async () => {
  viewer = await addPerson(db);
  const { rewards: made } = await promiseTo(db, streamer, [viewer]);
  rewardId = made[0]!.id;
});

async function letter(template: string) {
  const rows = await db.read.select().from(mails).where(eq(mails.template, template));
  return rows.find(({ values }) => template === 'itemsUsable' || values.rewardId === rewardId)!;
}
const SYSTEM_MS = Date.now();
const prepare = async (template: string, nowMs: number, systemMs = SYSTEM_MS) =>
  prepareMail(db.read, await letter(template), nowMs, systemMs);
const untilMs = START_MS + 72 * hour;

test('A reminder waits until six hours are left, and says how many are', async () => {
  const reminder = await letter('claimReminder');
  expect(reminder.runAtMs).toBe(untilMs - 6 * hour);
  expect(await prepare('claimReminder', untilMs - 6 * hour)).toMatchObject({
    due: true,
    values: { hours: '6', claimUntilMs: String(untilMs), itemKind: expect.stringContaining('Container') },
  });
  expect(await prepare('claimReminder', untilMs - hour)).toMatchObject({ values: { hours: '1' } });
});

test('A reminder moves with a window that an outage extended', async () => {
  await db.transaction(async (tx) => {
    await tx
      .update(rewards)
      .set({ claimUntilMs: untilMs + day })
      .where(eq(rewards.id, rewardId));
  });
  expect(await prepare('claimReminder', untilMs - 6 * hour)).toEqual({
    due: false,
    reason: 'later',
    dueAtMs: untilMs + day - 6 * hour,
  });
});

test('Nobody is reminded of a reward that is claimed or timed out', async () => {
  expect(await prepare('claimReminder', untilMs)).toEqual({ due: false, reason: 'outdated' });
  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  expect(await prepare('claimReminder', untilMs - hour)).toEqual({ due: false, reason: 'outdated' });
});

test('A promise that ended before its mail could be sent is not announced any more', async () => {
  expect(await prepare('rewardPromised', untilMs - 1)).toMatchObject({ due: true });
  expect(await prepare('rewardPromised', untilMs)).toEqual({ due: false, reason: 'outdated' });
});

test('While the claim clock stands still a promise is not over, and its mail says until when it lasts at least', async () => {
  const stop = { nowMs: untilMs - hour, systemMs: SYSTEM_MS };
  await stopSending(db, { operatorId: 'operator' }, stop);
  const stillMs = 5 * hour;
  const still = { nowMs: stop.nowMs + stillMs, systemMs: SYSTEM_MS + stillMs };
  await db.transaction((tx) => tx.update(bots).set({ heartbeatAtMs: still.systemMs }).execute());
  expect(await prepare('rewardPromised', still.nowMs, still.systemMs)).toMatchObject({
    due: true,
    values: { claimUntilMs: String(untilMs + stillMs) },
  });
  expect(await prepare('claimReminder', still.nowMs, still.systemMs)).toEqual({
    due: false,
    reason: 'later',
    dueAtMs: still.nowMs + 10 * minute,
  });
  await resumeSending(db, { operatorId: 'operator' }, still);
  await extendClaimWindows(db, still.nowMs);
  expect(await prepare('claimReminder', still.nowMs, still.systemMs)).toMatchObject({
    due: true,
    values: { hours: '1', claimUntilMs: String(untilMs + stillMs) },
  });
});

test('A promise that got more time is announced with it', async () => {
  await db.transaction((tx) => extendClaimWindow(tx, rewardId, day));
  expect(await prepare('rewardPromised', untilMs)).toMatchObject({
    due: true,
    values: { claimUntilMs: String(untilMs + day) },
  });
});

test('Neither a promise that was recalled within its time nor its end is announced any more', async () => {
  await db.transaction(async (tx) => {
    await tx.update(rewards).set({ state: 'recalled' }).where(eq(rewards.id, rewardId));
  });
  for (const template of ['rewardPromised', 'claimReminder'])
    expect(await prepare(template, untilMs - hour)).toEqual({ due: false, reason: 'outdated' });
});

test('Nobody is asked to claim what they have got', async () => {
  await db.transaction(async (tx) => {
    await tx.update(rewards).set({ state: 'claimed' }).where(eq(rewards.id, rewardId));
  });
  for (const template of ['rewardPromised', 'claimReminder'])
    expect(await prepare(template, untilMs - hour)).toEqual({ due: false, reason: 'outdated' });
});

test('The last minutes of a promise are told as one hour, and the rest to the nearest', async () => {
  const hoursAt = async (leftMs: number) => {
    const prepared = await prepare('claimReminder', untilMs - leftMs);
    return prepared.due && prepared.values.hours;
  };
  expect(await hoursAt(1)).toBe('1');
  expect(await hoursAt(2.4 * hour)).toBe('2');
  expect(await hoursAt(2.6 * hour)).toBe('3');
});

test('A kind that is muted by then is not sent, and times are told in the receiver’s zone', async () => {
  const set = (preferences: Parameters<typeof setPreferences>[1]['preferences']) =>
    setPreferences(db, { userId: viewer.userId, preferences });
  await set({ mutedMails: ['reminder'], timeZone: 'Asia/Tokyo' });
  expect(await prepare('claimReminder', untilMs - hour)).toEqual({ due: false, reason: 'muted' });
  expect(await prepare('rewardPromised', START_MS)).toMatchObject({ values: { timeZone: 'Asia/Tokyo' } });
  await set({ notifyByMail: false });
  expect(await prepare('rewardPromised', START_MS)).toEqual({ due: false, reason: 'muted' });
});

test('Mail about the account is sent to any address, whatever is muted', async () => {
  const mail = {
    recipient: 'nobody@example.org',
    template: 'verifyEmail',
    values: { name: 'A', token: 'b' },
  };
  expect(await prepareMail(db.read, mail, START_MS, SYSTEM_MS)).toEqual({
    due: true,
    values: mail.values,
  });
});

test('A delivery is mailed once, with the code of its offer', async () => {
  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  await sendQueued(db, START_MS);
  const [offer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  const moved = { event: 'accepted', moved: [] } as const;
  for (const _ of [1, 2]) await reportTransfer(db, offer!.id, moved, START_MS + hour);
  const rows = await db.read.select().from(mails).where(eq(mails.template, 'rewardDelivered'));
  expect(rows).toMatchObject([
    { values: { rewardId, code: offer!.securityCode, deliveredMs: String(START_MS + hour) } },
  ]);
});

test('A streamer is told of usable items once the last lock of their deposit ends', async () => {
  const usable = await letter('itemsUsable');
  const counted = { due: true, values: { count: expect.stringMatching(/^\d+$/) } };
  expect(await prepare('itemsUsable', usable.runAtMs)).toMatchObject(counted);
  const of = eq(items.ownerId, streamer.userId);
  const set = (patch: object) =>
    db.transaction((tx) =>
      tx
        .update(items)
        .set(patch)
        .where(of)
        .then(() => {}),
    );
  await set({ lockedUntilMs: usable.runAtMs + day });
  expect(await prepare('itemsUsable', usable.runAtMs)).toEqual({
    due: false,
    reason: 'later',
    dueAtMs: usable.runAtMs + day,
  });
  await set({ state: 'gone' });
  expect(await prepare('itemsUsable', usable.runAtMs)).toEqual({ due: false, reason: 'outdated' });
});
