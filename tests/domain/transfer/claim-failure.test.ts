import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { readEvents } from '#domain/outbox/read-events.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import type { TransferChange } from '#domain/transfer/advance-transfer.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { getMyReward } from '#domain/view/list-my-rewards.ts';
import {
  acceptOffer,
  addPerson,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
let viewer: Person;
let rewardId: string;
beforeEach(async () => {
  viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  rewardId = rewards[0]!.id;
});

async function claim(nowMs: number): Promise<string> {
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
  if (!claimed.ok) throw new Error(claimed.code);
  const rows = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  return rows
    .map(({ id }) => id)
    .toSorted()
    .at(-1)!;
}
async function claimAndSend(nowMs = START_MS): Promise<string> {
  const transferId = await claim(nowMs);
  await sendQueued(db, nowMs);
  return transferId;
}
const myReward = async () => (await getMyReward(db, { rewardId, userId: viewer.userId }))!;
const lettersOf = async (template: string) =>
  (await db.read.select().from(mails)).filter((mail) => mail.template === template);

test.each<[TransferChange, object]>([
  [{ event: 'declined' }, { kind: 'declined' }],
  [{ event: 'expired' }, { kind: 'notAccepted' }],
  [{ event: 'cancelled' }, { kind: 'notAccepted' }],
  [{ event: 'invalidated' }, { kind: 'refused', reason: 'unknown' }],
])('A reward tells why its last claim failed: %o', async (change, failure) => {
  await reportTransfer(db, await claimAndSend(), change, START_MS + hour);
  expect(await myReward()).toMatchObject({ state: 'promised', offer: null, claimFailure: failure });
});

test('A refusal by Steam is told with its reason', async () => {
  const transferId = await claim(START_MS);
  await reportTransfer(db, transferId, { event: 'started' }, START_MS);
  await reportTransfer(db, transferId, { event: 'refused', error: 'steamTokenInvalid' }, START_MS);
  expect((await myReward()).claimFailure).toEqual({ kind: 'refused', reason: 'steamTokenInvalid' });
});

test('A viewer who cancelled the claim is told so on the page and not by mail', async () => {
  await cancelTransfer(db, { transferId: await claim(START_MS), userId: viewer.userId }, START_MS);
  expect(await myReward()).toMatchObject({ state: 'promised', claimFailure: { kind: 'withdrawn' } });

  const sent = await claimAndSend(START_MS + hour);
  await cancelTransfer(db, { transferId: sent, userId: viewer.userId }, START_MS + hour);
  await reportTransfer(db, sent, { event: 'cancelled' }, START_MS + hour);
  expect(await myReward()).toMatchObject({ state: 'promised', claimFailure: { kind: 'withdrawn' } });
  expect(await lettersOf('claimFailed')).toEqual([]);
});

test('Only the latest claim counts, and a live offer says until when it can be accepted', async () => {
  await reportTransfer(db, await claimAndSend(), { event: 'declined' }, START_MS + hour);
  await claimAndSend(START_MS + 2 * hour);
  const { claimFailure, offer } = await myReward();
  expect(claimFailure).toBeNull();
  expect(offer?.cancelAtMs).toBe(START_MS + 72 * hour);
});

const endedLate = async () => {
  const transferId = await claimAndSend(START_MS + 71 * hour);
  await reportTransfer(db, transferId, { event: 'cancelled' }, START_MS + 4 * day);
};

test('A viewer whose promise ends with its offer is told by mail why', async () => {
  await endedLate();
  expect(await myReward()).toMatchObject({
    state: 'recalled',
    recallReason: 'timedOut',
    claimFailure: { kind: 'notAccepted' },
  });
  const reward = await myReward();
  expect(await lettersOf('claimFailed')).toMatchObject([
    { values: { item: reward.item.name, rule: reward.ruleName, why: 'notAccepted' } },
  ]);
});

test('A mail about a failed claim is of the latest one, and goes to verified addresses only', async () => {
  await reportTransfer(db, await claimAndSend(), { event: 'declined' }, START_MS + hour);
  await endedLate();
  expect(await lettersOf('claimFailed')).toMatchObject([{ values: { why: 'notAccepted' } }]);
});

test('Nobody without a verified address is mailed', async () => {
  await db.transaction((tx) =>
    tx.update(users).set({ emailVerifiedAtMs: null }).where(eq(users.id, viewer.userId)),
  );
  await endedLate();
  expect(await lettersOf('claimFailed')).toEqual([]);
});

test('An offer that ends with the claim window ends the promise', async () => {
  const untilMs = (await myReward()).claimUntilMs;
  const early = await claimAndSend(untilMs - 2);
  await reportTransfer(db, early, { event: 'declined' }, untilMs - 1);
  expect((await myReward()).state).toBe('promised');
  const late = await claimAndSend(untilMs - 1);
  await reportTransfer(db, late, { event: 'declined' }, untilMs);
  expect(await myReward()).toMatchObject({ state: 'recalled', recallReason: 'timedOut' });
  const [row] = await db.read.select().from(rewards).where(eq(rewards.id, rewardId));
  expect(row?.steamId).toBeNull();
});

test('Each change of a reward is shown to its viewer and to the rule’s owner', async () => {
  const shown = async () => {
    const all = await readEvents(db, { afterId: null });
    return all.flatMap(({ userId, kind, subjectId }) =>
      kind === 'reward.changed' && subjectId === rewardId ? [userId] : [],
    );
  };
  const transferId = await claimAndSend();
  const before = await shown();
  await reportTransfer(db, transferId, { event: 'declined' }, START_MS + hour);
  const changes = (await shown()).slice(before.length);
  expect(changes.sort()).toEqual([viewer.userId, streamer.userId].sort());
});

test('A reward moves under the lock of its own channel only', async () => {
  const other = await addStreamer(db);
  const move = (channelId: string) =>
    db.transaction((tx) => advanceReward(tx, rewardId, 'revoked', {}, START_MS), {
      lock: channelLock(channelId),
    });
  await expect(move(other.twitchId)).rejects.toThrow();
  expect((await myReward()).state).toBe('promised');
  expect(await move(streamer.twitchId)).not.toBeNull();
});

test('A claim is shown to the viewer as a reward and as a transfer', async () => {
  const all = await readEvents(db, { afterId: null, userId: viewer.userId });
  const transferId = await claim(START_MS);
  const shown = (await readEvents(db, { afterId: null, userId: viewer.userId })).slice(all.length);
  expect(shown.map(({ kind, subjectId }) => [kind, subjectId]).sort()).toEqual([
    ['reward.changed', rewardId],
    ['transfer.changed', transferId],
  ]);
});

test('An error of the store is no refusal', async () => {
  const broken = { ...db, transaction: () => Promise.reject(new Error('demo trouble')) };
  Object.defineProperty(broken, 'read', { get: () => db.read });
  const claimed = claimReward(broken as typeof db, { rewardId, userId: viewer.userId }, START_MS);
  await expect(claimed).rejects.toThrow('demo trouble');
  const [row] = await db.read.select().from(rewards).where(eq(rewards.id, rewardId));
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
  const attached = attachRewards(
    broken as typeof db,
    { ruleId: row!.ruleId, userId: streamer.userId, kinds },
    START_MS,
  );
  await expect(attached).rejects.toThrow('demo trouble');
});

test('A delivered reward cannot be claimed again, and its transfer names the trade', async () => {
  const transferId = await claimAndSend();
  const assets = await assetsIn(db, transferId);
  await acceptOffer(db, transferId, assets, START_MS + hour);
  expect((await transferOf(db, transferId)).tradeId).toMatch(/^t\d+/);
  expect(await claimReward(db, { rewardId, userId: viewer.userId }, START_MS + hour)).toEqual({
    ok: false,
    code: 'alreadyClaimed',
  });
});

test('A viewer whose offer ran out is told that the reward can be claimed again', async () => {
  await reportTransfer(db, await claimAndSend(), { event: 'expired' }, START_MS + hour);
  expect(await lettersOf('claimFailed')).toMatchObject([
    { values: { why: 'notAccepted', claimUntilMs: String(START_MS + 72 * hour) } },
  ]);
});

test('Nobody is mailed about an offer that they declined themselves, or who wants no mails', async () => {
  await reportTransfer(db, await claimAndSend(), { event: 'declined' }, START_MS + hour);
  expect(await lettersOf('claimFailed')).toEqual([]);
  await db.transaction((tx) =>
    tx.update(users).set({ notifyByMail: false }).where(eq(users.id, viewer.userId)),
  );
  await endedLate();
  expect(await lettersOf('claimFailed')).toEqual([]);
});

test('After three offers that the viewer cancelled or declined, the next claim waits longer each time', async () => {
  let nowMs = START_MS;
  const again = async (end: 'cancel' | 'decline') => {
    const transferId = await claimAndSend(nowMs);
    if (end === 'decline') return reportTransfer(db, transferId, { event: 'declined' }, nowMs);
    await cancelTransfer(db, { transferId, userId: viewer.userId }, nowMs);
    return reportTransfer(db, transferId, { event: 'cancelled' }, nowMs);
  };
  const claimNow = () => claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
  await again('cancel');
  await again('decline');
  expect(await myReward()).toMatchObject({ pausedUntilMs: null });
  await again('cancel');
  for (const hours of [1, 2, 4]) {
    const untilMs = nowMs + hours * hour;
    expect(await myReward()).toMatchObject({ state: 'promised', pausedUntilMs: untilMs });
    nowMs = untilMs - 1;
    expect(await claimNow()).toEqual({ ok: false, code: 'claimPaused' });
    nowMs = untilMs;
    await again('cancel');
  }
  nowMs += 8 * hour;
  await claimAndSend(nowMs);
  expect(await myReward()).toMatchObject({ state: 'reserved', pausedUntilMs: null });
});

test('Offers that ended for our own reasons bring no pause', async () => {
  for (let nth = 0; nth < 4; nth++) {
    const transferId = await claimAndSend(START_MS + nth);
    await reportTransfer(db, transferId, { event: 'cancelled' }, START_MS + nth);
  }
  expect(await myReward()).toMatchObject({ state: 'promised', pausedUntilMs: null });
});

/** The promise as it was made: its window ends three days after. */
const WINDOW_END_MS = START_MS + 72 * hour;

test.each(['steamBusy', 'steamUnavailable', 'steamSessionLost', 'botRestricted'])(
  'A claim that was kept waiting by %s gets that time back when it fails after its window',
  async (error) => {
    const claimedAtMs = WINDOW_END_MS - hour;
    const transferId = await claim(claimedAtMs);
    for (const event of ['deferred', 'refused'] as const) {
      await leaseTransfers(db, { botId, holder: 'test' }, WINDOW_END_MS + day, Date.now());
      await reportTransfer(db, transferId, { event, error, runAtMs: claimedAtMs }, WINDOW_END_MS + hour);
    }
    expect(await myReward()).toMatchObject({
      state: 'promised',
      claimUntilMs: WINDOW_END_MS + 2 * hour,
      claimShiftedMs: 2 * hour,
      claimFailure: { kind: 'refused', reason: error },
    });
    expect(await lettersOf('claimFailed')).toMatchObject([
      { values: { why: 'refused', claimUntilMs: String(WINDOW_END_MS + 2 * hour) } },
    ]);
  },
);

test.each(['steamTokenInvalid', 'itemUnavailable'])(
  'So does one that waited in the queue without any trouble, whatever ended it: %s',
  async (error) => {
    const transferId = await claim(WINDOW_END_MS - hour);
    await leaseTransfers(db, { botId, holder: 'test' }, WINDOW_END_MS + hour, Date.now());
    await reportTransfer(db, transferId, { event: 'refused', error }, WINDOW_END_MS + hour);
    expect(await myReward()).toMatchObject({
      state: 'promised',
      claimUntilMs: WINDOW_END_MS + 2 * hour,
      claimShiftedMs: 2 * hour,
    });
  },
);

test('An offer that was not confirmed in time is not called late, and one confirmed late has its whole time', async () => {
  const claimedAtMs = WINDOW_END_MS - hour;
  const transferId = await claim(claimedAtMs);
  await leaseTransfers(db, { botId, holder: 'test' }, claimedAtMs, Date.now());
  await reportTransfer(db, transferId, { event: 'created', offerId: '1' }, claimedAtMs);
  await reportTransfer(db, transferId, { event: 'cancelled' }, claimedAtMs + day);
  expect(await myReward()).toMatchObject({
    state: 'promised',
    claimUntilMs: WINDOW_END_MS + day,
    claimFailure: { kind: 'delayed' },
  });
  const again = await claim(claimedAtMs + day);
  await leaseTransfers(db, { botId, holder: 'test' }, claimedAtMs + day, Date.now());
  await reportTransfer(db, again, { event: 'created', offerId: '2' }, claimedAtMs + day);
  await reportTransfer(db, again, { event: 'confirmed' }, claimedAtMs + 2 * day);
  expect((await myReward()).offer?.cancelAtMs).toBe(claimedAtMs + 3 * day);
});
