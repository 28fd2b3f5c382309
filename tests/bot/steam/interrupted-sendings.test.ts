import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';
import { deadlineOf } from '#bot/steam/answer-in-time.ts';
import type { OfferedAsset, SteamAccount } from '#bot/steam/steam-account.ts';
import { resolveUncertain } from '#bot/steam/transfers/resolve-uncertain.ts';
import { transferPace } from '#bot/steam/transfers/transfer-work.ts';
import { transfers } from '#db/schema/transfer.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { holdOnce } from '#tests/support/held-once.ts';
import { assetsIn, transferOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';
import { noTrades, queueDeposit } from '#tests/support/uncertain-deposit.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

type Kind = 'return' | 'deposit';

/** An offer of this kind that a process was sending when it ended, or whose sending got no answer, and that Steam does not list. */
async function absentOffer(kind: Kind, isInterrupted: boolean) {
  const transferId = await queueDeposit();
  await sendQueued(db, START_MS);
  const lease = { leaseHolder: 'ended', leaseUntilMs: Date.now() + SENDING_LEASE_MS };
  const state = isInterrupted ? { state: 'sending' as const, ...lease } : { state: 'uncertain' as const };
  await db.transaction((tx) =>
    tx
      .update(transfers)
      .set({ kind, offerId: null, ...state })
      .where(eq(transfers.id, transferId)),
  );
  const there = await assetsIn(db, transferId);
  const inventory = (async () => ({ ok: true, value: there })) as unknown as SteamAccount['inventory'];
  return { transferId, round: searching({ inventory }) };
}

/** A search of a bot whose account shows neither offers nor trades, unless it is given otherwise. */
function searching(facts: Partial<SteamAccount>) {
  const { work } = makeTransferWork(db, botId, {
    offersSince: async () => ({ ok: true, value: { offers: [], unreadable: 0 } }),
    visitSentOffers: async () => ({ ok: true, value: [] }),
    tradesSince: async () => ({ ok: true, value: noTrades }),
    ...facts,
  });
  Object.assign(work, { pace: transferPace });
  return resolveUncertain(work);
}

test.each([
  ['that gives something and was interrupted', 'return', true, 20 * second],
  ['that only asks for items and was interrupted', 'deposit', true, minute],
  ['whose answer was lost', 'return', false, minute],
] as const)(
  'An offer %s is sent again after a search and another one later',
  async (_, kind, isInterrupted, apartMs) => {
    const { transferId, round } = await absentOffer(kind, isInterrupted);
    await round();
    const searchedOnce = { state: 'uncertain', cleanPolls: 1, runAtMs: START_MS + apartMs };
    expect(await transferOf(db, transferId)).toMatchObject(searchedOnce);
    passTime(apartMs - 1);
    await round();
    expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 1 });
    passTime(1);
    await round();
    expect((await transferOf(db, transferId)).state).toBe('queued');
  },
);

test('The second search for an interrupted offer comes as soon as it may', async () => {
  const { round } = await absentOffer('return', true);
  // The usual interval of searches.
  expect(await round()).toBe(0);
  passTime(15 * second);
  expect(await round()).toBe(5 * second);
});

test('Whoever takes over waits for as long as an offer that gives something may be on its way', () => {
  const asset = {} as Required<OfferedAsset>;
  expect(deadlineOf({ give: [asset] })).toBeLessThanOrEqual(transferPace.interruptedMs);
  expect(deadlineOf({ give: [] })).toBeLessThanOrEqual(transferPace.absenceMs);
});

test('An attempt after an interrupted one, whose own sender lived, needs searches a minute apart', async () => {
  const soon = await absentOffer('return', true);
  const other = await absentOffer('return', true);
  const history = holdOnce();
  const inventory = [...(await assetsIn(db, soon.transferId)), ...(await assetsIn(db, other.transferId))];
  const round = searching({
    inventory: (async () => ({ ok: true, value: inventory })) as unknown as SteamAccount['inventory'],
    async tradesSince() {
      if ((await transferOf(db, soon.transferId)).state === 'queued') await history.wait();
      return { ok: true, value: noTrades };
    },
  });
  await round();
  passTime(20 * second);
  const searched = round();
  await history.isReached;
  await db.transaction((tx) =>
    tx
      .update(transfers)
      .set({ state: 'uncertain', cleanPolls: 0, attempts: sql`${transfers.attempts} + 1` })
      .where(eq(transfers.id, soon.transferId)),
  );
  history.release();
  await searched;
  passTime(minute);
  await round();
  expect(await transferOf(db, soon.transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 1 });
  passTime(minute - 1);
  await round();
  expect(await transferOf(db, soon.transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 1 });
  passTime(1);
  await round();
  expect((await transferOf(db, soon.transferId)).state).toBe('queued');
});
