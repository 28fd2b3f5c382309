import { expect, test } from 'vitest';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import {
  type ResolveRefusal,
  resolveTransfer,
  type TransferFinding,
} from '#domain/custody/resolve-transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf, ledgerOf, stepsOf, transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';

setScene();
const LATER_MS = START_MS + 8 * day;

const resolve = (transferId: string, finding: TransferFinding, nowMs = LATER_MS, isRehearsal = false) =>
  resolveTransfer(db, { transferId, finding, isRehearsal }, nowMs, Date.now());

const refused = (code: ResolveRefusal) => ({ ok: false, code });

/** A return whose item is in the queue. */
async function queueReturn() {
  await deposit(db, streamer, [asset()]);
  const [item] = await itemsOf(db, streamer.userId);
  if (!item) throw new Error('nothing was deposited');
  const transferId = newId(LATER_MS);
  const request = { requestId: transferId, userId: streamer.userId, itemIds: [item.id] };
  expect(await returnItems(db, request, LATER_MS)).toMatchObject({ ok: true });
  return { transferId, itemId: item.id };
}

/** A return whose sending got no answer. */
async function doubtReturn() {
  const queued = await queueReturn();
  await leaseTransfers(db, { botId, holder: 'test' }, LATER_MS, Date.now());
  await reportTransfer(db, queued.transferId, { event: 'answerLost', error: 'answerLost' }, LATER_MS);
  return queued;
}

async function sendDeposit(assets = [asset()]) {
  const transferId = newId(LATER_MS);
  const request = { requestId: transferId, userId: streamer.userId, assets };
  expect(await requestDeposit(db, request, LATER_MS, Date.now())).toMatchObject({ ok: true });
  await sendQueued(db, LATER_MS);
  return { transferId, assets };
}

test('An offer that the operator found is followed like any other', async () => {
  const { transferId } = await doubtReturn();
  expect(await resolve(transferId, { as: 'found', offerId: '77' })).toMatchObject({
    changes: [{ subject: 'transfer', id: transferId, from: 'uncertain', to: 'unconfirmed' }],
  });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'unconfirmed', offerId: '77' });
  await reportTransfer(db, transferId, { event: 'confirmed' }, LATER_MS);
  for (const finding of [{ as: 'found', offerId: '78' }, { as: 'absent' }] as const)
    expect(await resolve(transferId, finding)).toEqual(refused('notDoubtful'));
});

test('An offer that the operator named by mistake can be named again, or be said to be absent', async () => {
  const { transferId } = await doubtReturn();
  await resolve(transferId, { as: 'found', offerId: '77' });
  expect(await resolve(transferId, { as: 'found', offerId: '78' })).toMatchObject({ ok: true });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'unconfirmed', offerId: '78' });
  expect((await stepsOf(db, transferId)).slice(-2)).toEqual(['mistaken', 'foundUnconfirmed']);
  expect(await resolve(transferId, { as: 'absent' })).toMatchObject({ ok: true });
  const queued = { state: 'queued', offerId: null, sentAtMs: null, expiresAtMs: null };
  expect(await transferOf(db, transferId)).toMatchObject(queued);
});

test('An unconfirmed offer that the bot itself has made is in no doubt', async () => {
  const { transferId } = await queueReturn();
  await leaseTransfers(db, { botId, holder: 'test' }, LATER_MS, Date.now());
  await reportTransfer(db, transferId, { event: 'created', offerId: '77' }, LATER_MS);
  expect(await resolve(transferId, { as: 'found', offerId: '78' })).toEqual(refused('notDoubtful'));
});

test('An unconfirmed offer that the bot itself has found is in no doubt', async () => {
  const { transferId } = await doubtReturn();
  const found = { offerId: '77', steamState: 'CreatedNeedsConfirmation' } as const;
  await reportOffer(db, transferId, found, LATER_MS);
  expect((await stepsOf(db, transferId)).at(-1)).toBe('foundUnconfirmed');
  expect(await resolve(transferId, { as: 'found', offerId: '78' })).toEqual(refused('notDoubtful'));
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'unconfirmed', offerId: '77' });
});

test('The days in which Steam may have a doubtful offer open count from its last sending', async () => {
  const { transferId } = await queueReturn();
  const sentMs = LATER_MS + 3 * day;
  await leaseTransfers(db, { botId, holder: 'test' }, sentMs, Date.now());
  await reportTransfer(db, transferId, { event: 'answerLost', error: 'answerLost' }, sentMs);
  const undelivered = (nowMs: number) => resolve(transferId, { as: 'undelivered' }, nowMs);
  expect(await undelivered(sentMs + 14 * day - 1)).toEqual(refused('offerMayBeOpen'));
  expect(await undelivered(sentMs + 14 * day)).toMatchObject({ ok: true });
});

test('An offer of another transfer is not taken', async () => {
  const first = await sendDeposit();
  const { offerId } = await transferOf(db, first.transferId);
  const { transferId } = await doubtReturn();
  expect(await resolve(transferId, { as: 'found', offerId: offerId ?? '' })).toEqual(refused('offerTaken'));
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain' });
});

test('An absent offer is sent again, with the operator in its timeline', async () => {
  const { transferId } = await doubtReturn();
  expect(await resolve(transferId, { as: 'absent' }, LATER_MS, true)).toMatchObject({ ok: true });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain' });
  expect(await resolve(transferId, { as: 'absent' })).toMatchObject({ ok: true });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'queued', runAtMs: LATER_MS });
  expect((await stepsOf(db, transferId)).at(-1)).toBe('provenAbsent');
  expect(await resolve(transferId, { as: 'absent' })).toEqual(refused('notSent'));
});

test('Nothing is decided while the bot may be sending', async () => {
  const { transferId } = await queueReturn();
  await leaseTransfers(db, { botId, holder: 'test' }, LATER_MS, Date.now());
  expect(await resolve(transferId, { as: 'absent' })).toEqual(refused('stillSending'));
  const afterLease = Date.now() + SENDING_LEASE_MS + 1;
  const request = { transferId, finding: { as: 'absent' } } as const;
  expect(await resolveTransfer(db, request, LATER_MS, afterLease)).toMatchObject({ ok: true });
});

test('A delivered return leaves custody by the operator’s word, and is final when it is due', async () => {
  const { transferId, itemId } = await doubtReturn();
  expect(await resolve(transferId, { as: 'delivered' })).toMatchObject({
    changes: [
      { subject: 'transfer', from: 'uncertain', to: 'accepted' },
      { subject: 'item', id: itemId, from: 'outgoing', to: 'delivered' },
    ],
  });
  expect((await ledgerOf(db, itemId)).at(-1)).toMatchObject({
    toHolder: 'delivered',
    cause: 'operator',
    transferId,
  });
  expect(await resolve(transferId, { as: 'undelivered' })).toEqual(refused('changedHands'));
  expect(await resolve(transferId, { as: 'delivered' })).toEqual(refused('protectedStill'));
  expect(await resolve(transferId, { as: 'delivered' }, LATER_MS + 8 * day)).toMatchObject({ ok: true });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'settled' });
  expect((await ledgerOf(db, itemId)).at(-1)).toMatchObject({ toHolder: 'gone', cause: 'operator' });
  expect(await resolve(transferId, { as: 'delivered' }, LATER_MS + 9 * day)).toEqual(
    refused('transferEnded'),
  );
});

test('An item becomes free only when Steam can no longer have its offer open', async () => {
  const { transferId, itemId } = await doubtReturn();
  expect(await resolve(transferId, { as: 'undelivered' })).toEqual(refused('offerMayBeOpen'));
  const ended = await resolve(transferId, { as: 'undelivered' }, LATER_MS + 14 * day);
  expect(ended).toMatchObject({
    changes: [
      { subject: 'transfer', from: 'uncertain', to: 'failed' },
      { subject: 'item', id: itemId, from: 'outgoing', to: 'held' },
    ],
  });
  expect((await ledgerOf(db, itemId)).at(-1)).toMatchObject({ cause: 'operator' });
});

test('A stuck deposit becomes the items that arrived, locked until its trade is final', async () => {
  const { transferId, assets } = await sendDeposit();
  expect(await resolve(transferId, { as: 'delivered' })).toEqual(refused('assetsUnclear'));
  const arrived = await leaveUnknownAsset(db, { botId, nowMs: LATER_MS });
  expect(await resolve(transferId, { as: 'delivered' })).toMatchObject({ ok: true });
  const [item] = await itemsOf(db, streamer.userId);
  expect(item).toMatchObject({ assetId: arrived.assetId, state: 'held', lockedUntilMs: LATER_MS + 8 * day });
  expect(await ledgerOf(db, item?.id ?? '')).toMatchObject([{ cause: 'operator', transferId }]);
  expect(assets).toHaveLength(1);
});

test('A deposit of a stack is not the asset of its class with another number of pieces', async () => {
  const { transferId } = await sendDeposit([asset('Demo gems', { amount: 500 })]);
  await leaveUnknownAsset(db, { botId, nowMs: LATER_MS, facts: { amount: 537 } });
  expect(await resolve(transferId, { as: 'delivered' })).toEqual(refused('assetsUnclear'));
  await leaveUnknownAsset(db, { botId, nowMs: LATER_MS, facts: { amount: 500 } });
  expect(await resolve(transferId, { as: 'delivered' })).toMatchObject({ ok: true });
  expect(await itemsOf(db, streamer.userId)).toMatchObject([{ amount: 500 }]);
});

test('Where classes do not tell, the operator names each asset of a deposit', async () => {
  const [wanted = asset(), other = asset()] = [asset(), asset()];
  const { transferId } = await sendDeposit([wanted, other]);
  const found = [asset(), asset(), asset()];
  await recordUnknownAssets(db, { botId, appId: 730, found }, LATER_MS);
  const [first = '', second = ''] = found.map(({ assetId }) => assetId);
  const name = (assets: Record<string, string>) => resolve(transferId, { as: 'delivered', assets });
  expect(await resolve(transferId, { as: 'delivered' })).toEqual(refused('assetsUnclear'));
  expect(await name({ [wanted.assetId]: first })).toEqual(refused('assetsUnclear'));
  expect(await name({ [wanted.assetId]: first, [other.assetId]: first })).toEqual(refused('assetsUnclear'));
  expect(await name({ [wanted.assetId]: first, [other.assetId]: second })).toMatchObject({ ok: true });
  const held = await itemsOf(db, streamer.userId);
  expect(held.map(({ assetId }) => assetId).sort()).toEqual([first, second].sort());
});

test('A rollback of escrowed items gives them back at once', async () => {
  const { transferId, itemId } = await queueReturn();
  await sendQueued(db, LATER_MS);
  await reportTransfer(db, transferId, { event: 'escrowed' }, LATER_MS + hour);
  const ended = await resolve(transferId, { as: 'undelivered' }, LATER_MS + hour + minute);
  expect(ended).toMatchObject({ ok: true });
  expect((await itemsOf(db, streamer.userId)).find(({ id }) => id === itemId)?.state).toBe('held');
});
