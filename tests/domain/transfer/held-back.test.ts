import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { listClaimsToCheck } from '#domain/claim/list-claims-to-check.ts';
import { auditCustody } from '#domain/custody/audit-custody.ts';
import { settleDrift } from '#domain/custody/settle-drift.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { makePlace } from '#domain/transfer/make-place.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { getMyReward } from '#domain/view/list-my-rewards.ts';
import { driftOutgoing } from '#tests/support/drift.ts';
import { addPerson, asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, rewardsOf, stepsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

const FOUND_MS = START_MS + hour;
const SETTLED_MS = START_MS + 11 * hour;
const WINDOW_END_MS = START_MS + 72 * hour;

setScene();

const lease = async (nowMs = FOUND_MS) =>
  (await leaseTransfers(db, { botId, holder: 'one' }, nowMs, Date.now())).map(({ id }) => id);
const settle = (itemId: string, nowMs = SETTLED_MS) => settleDrift(db, { itemId }, nowMs);

const drift = (itemIds: readonly string[]) => driftOutgoing(db, itemIds, FOUND_MS);

/** A viewer's queued claim, and its item. */
async function queuedClaim() {
  const viewer = await addPerson(db);
  const { ruleId, rewards } = await promiseTo(db, streamer, [viewer]);
  const rewardId = rewards[0]!.id;
  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  const [claim] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  const mine = () => getMyReward(db, { rewardId, userId: viewer.userId });
  const reward = async () => (await rewardsOf(db, ruleId))[0]!;
  return { transferId: claim!.id, itemId: rewards[0]!.itemId, mine, reward };
}

/** Two items on their way back to the streamer, in one transfer. */
async function queuedReturn() {
  await deposit(db, streamer, [asset(), asset()], START_MS - 8 * day);
  const itemIds = (await itemsOf(db, streamer.userId)).map(({ id }) => id);
  const wanted = { requestId: newId(START_MS), userId: streamer.userId, itemIds };
  const answer = await returnItems(db, wanted, START_MS);
  if (!answer.ok) throw new Error(answer.code);
  return { transferId: answer.transferIds[0]!, itemIds };
}

test('A queued claim whose item differs from the ledger is sent only when the operator has resolved it', async () => {
  const { transferId, itemId } = await queuedClaim();
  expect(await drift([itemId])).toMatchObject({ found: 1 });
  expect(await lease()).toEqual([]);
  await settleDrift(db, { itemId, isRehearsal: true }, SETTLED_MS);
  expect(await lease(SETTLED_MS)).toEqual([]);
  expect(await settle(itemId)).toMatchObject({ ok: true });
  expect(await lease(SETTLED_MS)).toEqual([transferId]);
});

test('A return waits for each of its items, and holds up nobody else’s', async () => {
  const { itemIds, transferId } = await queuedReturn();
  const other = await queuedClaim();
  await drift(itemIds);
  expect(await lease()).toEqual([other.transferId]);
  await settle(itemIds[0]!);
  expect(await lease(SETTLED_MS)).toEqual([]);
  expect(await stepsOf(db, transferId)).toEqual(['requested', 'heldBack']);
  await settle(itemIds[1]!);
  expect(await lease(SETTLED_MS)).toEqual([transferId]);
});

test('Nobody is asked about a claim that is held back, and nobody gives up a place for it', async () => {
  const { transferId, itemId } = await queuedClaim();
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ followDays: 30 });
  });
  await drift([itemId]);
  expect(await listClaimsToCheck(db.read, { botId }, FOUND_MS)).toEqual([]);
  const checkedClaims = [transferId];
  const held = await leaseTransfers(db, { botId, holder: 'one', checkedClaims }, FOUND_MS, Date.now());
  expect(held).toEqual([]);
  expect(await makePlace(db, { botId, checkedClaims }, FOUND_MS)).toEqual({ asked: 0, nextMs: null });
  await settle(itemId);
  expect(await listClaimsToCheck(db.read, { botId }, SETTLED_MS)).toMatchObject([{ transferId }]);
});

test('A viewer gets the time back that a claim was held back, once the operator has resolved it', async () => {
  const { transferId, itemId, reward } = await queuedClaim();
  await drift([itemId]);
  expect((await reward()).claimUntilMs).toBe(WINDOW_END_MS);
  await settle(itemId);
  expect(await reward()).toMatchObject({
    claimUntilMs: WINDOW_END_MS + SETTLED_MS - FOUND_MS,
    claimShiftedMs: SETTLED_MS - FOUND_MS,
  });
  await sendQueued(db, SETTLED_MS);
  await reportTransfer(db, transferId, { event: 'declined' }, WINDOW_END_MS + hour);
  expect((await reward()).state).toBe('promised');
});

test('A claim that was held back and ends unsent gets each hour of its wait back once', async () => {
  const { transferId, itemId, reward } = await queuedClaim();
  await drift([itemId]);
  await settle(itemId);
  const endMs = SETTLED_MS + 4 * hour;
  await reportTransfer(db, transferId, { event: 'withdrawn' }, endMs);
  expect(await reward()).toMatchObject({ state: 'promised', claimShiftedMs: endMs - START_MS });
});

test('A claim that already has its offer gets no time when its item is resolved', async () => {
  const { itemId, reward } = await queuedClaim();
  await sendQueued(db, START_MS);
  await drift([itemId]);
  await settle(itemId);
  expect((await reward()).claimUntilMs).toBe(WINDOW_END_MS);
});

test('A clock that was put back takes no time from the viewer', async () => {
  const { itemId, reward } = await queuedClaim();
  await drift([itemId]);
  await settle(itemId, FOUND_MS - hour);
  expect((await reward()).claimUntilMs).toBe(WINDOW_END_MS);
});

test('A transfer that is held back says so once in its timeline, and when it goes on', async () => {
  const { transferId, itemId, mine } = await queuedClaim();
  await drift([itemId]);
  await auditCustody(db, { operatorEmail: null }, FOUND_MS + hour);
  expect(await stepsOf(db, transferId)).toEqual(['requested', 'heldBack']);
  expect((await mine())?.offer).toMatchObject({ state: 'queued', isHeldBack: true });
  await settle(itemId);
  expect(await stepsOf(db, transferId)).toEqual(['requested', 'heldBack', 'resumed']);
  expect((await mine())?.offer).toMatchObject({ state: 'queued', isHeldBack: false });
  expect((await transferOf(db, transferId)).lastError).toBeNull();
});

test('An offer that was under way when its item was found waits too, if it has to be sent again', async () => {
  const { transferId, itemId, mine } = await queuedClaim();
  await lease();
  await drift([itemId]);
  expect((await mine())?.offer).toMatchObject({ state: 'sending', isHeldBack: false });
  await reportTransfer(
    db,
    transferId,
    { event: 'deferred', error: 'steamBusy', runAtMs: FOUND_MS },
    FOUND_MS,
  );
  expect(await lease()).toEqual([]);
  expect((await mine())?.offer).toMatchObject({ state: 'queued', isHeldBack: true });
  const steps = await db.read
    .select({ event: transferSteps.event, detail: transferSteps.detail })
    .from(transferSteps)
    .where(is(transferSteps.state, 'queued'));
  expect(steps.slice(-2)).toEqual([
    { event: 'deferred', detail: 'steamBusy' },
    { event: 'heldBack', detail: 'itemUnclear' },
  ]);
});

test('A viewer can still cancel a claim that is held back; the promise keeps its time and waits for the item', async () => {
  const { transferId, itemId, reward } = await queuedClaim();
  await drift([itemId]);
  await reportTransfer(db, transferId, { event: 'withdrawn' }, SETTLED_MS);
  expect(await reward()).toMatchObject({
    state: 'promised',
    claimUntilMs: WINDOW_END_MS + SETTLED_MS - START_MS,
  });
  const [item] = await itemsOf(db, streamer.userId);
  expect(item?.state).toBe('missing');
  expect((await assetsIn(db, transferId)).map(({ open }) => open)).toEqual([false]);
});
