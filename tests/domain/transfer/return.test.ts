import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { returnKinds } from '#domain/transfer/return-kinds.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addRule,
  asset,
  deposit,
  START_MS,
  sendQueued,
  steamIdOf,
} from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, ledgerOf, rewardsOf, transferOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
const otherSteamId = steamIdOf(900_000);

/** Unlocked items at the time at which every test starts. */
async function hold(amount: number, kind = 'Demo case') {
  await deposit(
    db,
    streamer,
    Array.from({ length: amount }, () => asset(kind)),
    START_MS - 8 * day,
  );
  const held = await itemsOf(db, streamer.userId);
  return held.filter((item) => item.marketHashName === kind).map(({ id }) => id);
}
const giveBack = (
  itemIds: readonly string[],
  { requestId = newId(START_MS), userId = streamer.userId, nowMs = START_MS, confirmed = false } = {},
) => returnItems(db, { requestId, userId, itemIds, confirmed }, nowMs);
const stateOf = async (itemId: string) =>
  (await itemsOf(db, streamer.userId)).find(({ id }) => id === itemId)?.state;
const relinkSteam = (linkedAtMs: number) =>
  db.transaction(async (tx) => {
    const changed = { steamId: otherSteamId, linkedAtMs, tradeToken: 'tokenNEW' };
    await tx.update(steamAccounts).set(changed).where(eq(steamAccounts.userId, streamer.userId));
  });

test('Returned items are outgoing until the offer is accepted, and final when it can no longer be reversed', async () => {
  const [itemId] = await hold(1);
  const answer = await giveBack([itemId!]);
  if (!answer.ok) throw new Error(answer.code);
  const [transferId] = answer.transferIds;
  expect(await transferOf(db, transferId!)).toMatchObject({
    kind: 'return',
    state: 'queued',
    partnerSteamId: streamer.steamId,
  });
  expect(await stateOf(itemId!)).toBe('outgoing');
  await sendQueued(db, START_MS);
  await acceptOffer(db, transferId!, await assetsIn(db, transferId!), START_MS);
  expect(await stateOf(itemId!)).toBe('delivered');
  await reportTransfer(db, transferId!, { event: 'settled' }, START_MS + 7 * day);
  expect(await stateOf(itemId!)).toBe('gone');
  const ledger = await ledgerOf(db, itemId!);
  expect(ledger.map(({ cause }) => cause)).toEqual(['deposit', 'return', 'return', 'return']);
});

test('An item of a declined return is held again, and can be returned again', async () => {
  const [itemId] = await hold(1);
  const answer = await giveBack([itemId!]);
  if (!answer.ok) throw new Error(answer.code);
  await sendQueued(db, START_MS);
  await reportTransfer(db, answer.transferIds[0]!, { event: 'declined' }, START_MS);
  expect(await stateOf(itemId!)).toBe('held');
  expect((await giveBack([itemId!])).ok).toBe(true);
});

test('A return reversed by its receiver puts the item back into custody', async () => {
  const [itemId] = await hold(1);
  const answer = await giveBack([itemId!]);
  if (!answer.ok) throw new Error(answer.code);
  const [transferId] = answer.transferIds;
  await sendQueued(db, START_MS);
  await acceptOffer(db, transferId!, await assetsIn(db, transferId!), START_MS);
  await reportTransfer(db, transferId!, { event: 'reversed' }, START_MS + day);
  expect(await stateOf(itemId!)).toBe('held');
});

test('A return is one transfer for each bot that holds some of the items', async () => {
  const first = await hold(2);
  const second = await addBot(db);
  const all = await hold(1);
  expect(all).toHaveLength(3);
  const requestId = newId(START_MS);
  const answer = await giveBack(all, { requestId });
  if (!answer.ok) throw new Error(answer.code);
  expect(answer.transferIds).toHaveLength(2);
  expect(answer.transferIds[0]).toBe(requestId);
  const parts = await Promise.all(
    answer.transferIds.map(async (id) => ({
      bot: (await transferOf(db, id)).botId,
      items: (await assetsIn(db, id)).map(({ itemId }) => itemId),
    })),
  );
  const newest = parts.find(({ bot }) => bot === second)?.items ?? [];
  expect(newest).toEqual(all.filter((id) => !first.includes(id)));
  expect(
    parts
      .flatMap((part) => part.items)
      .slice()
      .sort(),
  ).toEqual([...all].sort());
});

test('Submitting a return again returns the first and moves nothing more', async () => {
  const ids = await hold(2);
  const requestId = newId(START_MS);
  const answers = await Promise.all([
    giveBack(ids.slice(0, 1), { requestId }),
    giveBack(ids.slice(0, 1), { requestId }),
  ]);
  expect(answers).toEqual([
    { ok: true, transferIds: [requestId] },
    { ok: true, transferIds: [requestId] },
  ]);
  expect(await giveBack(ids.slice(1), { requestId })).toEqual(answers[0]);
  expect(await stateOf(ids[1]!)).toBe('held');
});

test('Another user’s request id or items are refused, and nothing moves', async () => {
  const ids = await hold(2);
  const thief = await addPerson(db);
  const requestId = newId(START_MS);
  await giveBack(ids.slice(0, 1), { requestId });
  const refused = { ok: false, code: 'itemUnavailable' };
  expect(await giveBack(ids.slice(1), { userId: thief.userId })).toEqual(refused);
  expect(await giveBack(ids.slice(1), { userId: thief.userId, requestId })).toEqual(refused);
  expect(await giveBack([newId(START_MS)])).toEqual(refused);
  expect(await stateOf(ids[1]!)).toBe('held');
  expect((await transferOf(db, requestId)).userId).toBe(streamer.userId);
});

test('One item that cannot be returned stops all of them', async () => {
  const [free, moving] = await hold(2);
  await giveBack([moving!]);
  expect(await giveBack([free!, moving!])).toEqual({ ok: false, code: 'itemUnavailable' });
  expect(await stateOf(free!)).toBe('held');
});

test('Locked items, items on a rule and missing items stay', async () => {
  const refused = { ok: false, code: 'itemUnavailable' };
  await deposit(db, streamer, [asset('Demo locked')], START_MS - 7 * day + 1);
  const locked = (await itemsOf(db, streamer.userId))[0]!.id;
  expect(await giveBack([locked])).toEqual(refused);
  expect((await giveBack([locked], { nowMs: START_MS + 1 })).ok).toBe(true);

  const [assigned, missing] = await hold(2);
  await db.transaction(async (tx) => {
    await tx.update(items).set({ state: 'missing' }).where(eq(items.id, missing!));
  });
  expect(await giveBack([missing!])).toEqual(refused);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
  expect((await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS)).ok).toBe(true);
  expect(await giveBack([assigned!])).toEqual(refused);
});

test('After linking another Steam account, items go back only to their depositor for seven days', async () => {
  const ids = await hold(2);
  await relinkSteam(START_MS);
  const refused = { ok: false, code: 'steamChangedRecently' };
  expect(await giveBack(ids)).toEqual(refused);
  expect(await giveBack(ids, { nowMs: START_MS + 7 * day - 1 })).toEqual(refused);
  const later = { nowMs: START_MS + 7 * day };
  expect(await giveBack(ids, later)).toEqual({ ok: false, code: 'identityUnconfirmed' });
  expect((await giveBack(ids, { ...later, confirmed: true })).ok).toBe(true);
  const letters = await db.read.select().from(mails).where(eq(mails.template, 'accountChanged'));
  expect(letters.map(({ values }) => values)).toContainEqual(
    expect.objectContaining({ change: 'returnElsewhere', steam: otherSteamId }),
  );
});

test('After linking another Steam account, items go on no rule for seven days', async () => {
  await hold(2);
  await relinkSteam(START_MS);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const asked = { ruleId, userId: streamer.userId };
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 2 }];
  const attach = (nowMs: number) => attachRewards(db, { ...asked, kinds }, nowMs);
  const refused = { ok: false, code: 'steamChangedRecently' };
  expect(await attach(START_MS + 7 * day - 1)).toEqual(refused);
  expect(await rewardsOf(db, ruleId)).toEqual([]);
  expect(await attach(START_MS + 7 * day)).toEqual({ ok: true, attached: 2 });
});

test('Items deposited by the newly linked Steam account itself can go back to it at once', async () => {
  await hold(1, 'Demo old');
  await relinkSteam(START_MS - 9 * day);
  await deposit(db, { ...streamer, steamId: otherSteamId }, [asset('Demo new')], START_MS - 8 * day);
  await relinkSteam(START_MS - day);
  const held = await itemsOf(db, streamer.userId);
  const idOf = (kind: string) => held.find((item) => item.marketHashName === kind)!.id;
  expect(await giveBack([idOf('Demo old')])).toEqual({ ok: false, code: 'steamChangedRecently' });
  expect((await giveBack([idOf('Demo new')])).ok).toBe(true);
});

test('One item from elsewhere among others is enough to ask for a proof of identity', async () => {
  await hold(1, 'Demo elsewhere');
  await relinkSteam(START_MS);
  await deposit(db, { ...streamer, steamId: otherSteamId }, [asset('Demo own')], START_MS);
  const held = await itemsOf(db, streamer.userId);
  const [elsewhere, own] = ['Demo elsewhere', 'Demo own'].map(
    (kind) => held.find((item) => item.marketHashName === kind)!.id,
  );
  const later = { nowMs: START_MS + 9 * day };
  expect(await giveBack([own!, elsewhere!], later)).toEqual({ ok: false, code: 'identityUnconfirmed' });
  expect(await stateOf(own!)).toBe('held');
  expect((await giveBack([own!], later)).ok).toBe(true);
});

test('An empty selection, or one too large for an offer, is refused', async () => {
  expect(await giveBack([])).toEqual({ ok: false, code: 'nothingPicked' });
  const many = Array.from({ length: 101 }, () => newId(START_MS));
  expect(await giveBack(many)).toEqual({ ok: false, code: 'tooManyItems' });
  const twice = await hold(1);
  expect((await giveBack([...twice, ...twice])).ok).toBe(true);
});

test('By kind and quantity the oldest are returned first, and a kind with too few stops all of them', async () => {
  const [oldest, newer] = await hold(2);
  const pick = (quantity: number, requestId = newId(START_MS)) =>
    returnKinds(
      db,
      {
        requestId,
        userId: streamer.userId,
        kinds: [{ appId: 730, marketHashName: 'Demo case', quantity }],
      },
      START_MS,
    );
  expect(await pick(3)).toEqual({ ok: false, code: 'itemUnavailable' });
  expect(await pick(0)).toEqual({ ok: false, code: 'nothingPicked' });
  expect(await pick(-4)).toEqual({ ok: false, code: 'nothingPicked' });
  expect(await pick(1e300)).toEqual({ ok: false, code: 'tooManyItems' });
  expect(await db.read.$count(transfers, is(transfers.kind, 'return'))).toBe(0);
  const requestId = newId(START_MS);
  const first = await pick(1, requestId);
  expect(first).toEqual({ ok: true, transferIds: [requestId] });
  expect(await pick(1, requestId)).toEqual(first);
  expect([await stateOf(oldest!), await stateOf(newer!)]).toEqual(['outgoing', 'held']);
});

test('Exact pieces and others of their kind are different items, in whatever order they are picked', async () => {
  const worn = ['0.2', '0.31'].map((wear) => asset('Worn rifle', { wear }));
  await deposit(db, streamer, worn, START_MS - 8 * day);
  const rifle = { appId: 730, marketHashName: 'Worn rifle', quantity: 1 };
  const exact = { ...rifle, wear: '0.2' };
  const returned = (...kinds: (typeof exact | typeof rifle)[]) =>
    returnKinds(db, { requestId: newId(START_MS), userId: streamer.userId, kinds }, START_MS);
  expect(await returned(exact, exact)).toEqual({ ok: false, code: 'itemUnavailable' });
  expect(await returned(rifle, rifle, exact)).toEqual({ ok: false, code: 'itemUnavailable' });
  expect(await returned(rifle, exact)).toMatchObject({ ok: true });
  const rifles = await itemsOf(db, streamer.userId);
  expect(rifles.map(({ state }) => state)).toEqual(['outgoing', 'outgoing']);
});
