import { eq } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { is } from '#db/dialect.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { asset, START_MS } from '#tests/support/fixtures.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const DAILY_TRADES = 1250;
const { signal } = new AbortController();

/** Accepted deposits of the last eight days, as many each day; those of the first become final within a day. */
async function acceptTrades(amount: number, { withAssets = false } = {}) {
  const rows = Array.from({ length: amount }, (_, nth) => ({
    id: newId(START_MS),
    kind: 'deposit' as const,
    state: 'accepted' as const,
    userId: streamer.userId,
    botId,
    partnerSteamId: streamer.steamId,
    tradeToken: 'tokenABC',
    securityCode: 'K7Q2-M4XD',
    offerId: `o${nth}`,
    tradeId: `t${nth}`,
    runAtMs: START_MS,
    createdAtMs: START_MS,
    sentAtMs: START_MS,
    acceptedAtMs: START_MS,
    // Hour by hour.
    settlesAtMs: START_MS + Math.floor((nth * 24) / DAILY_TRADES) * hour + hour,
  }));
  await db.transaction(async (tx) => {
    for (let from = 0; from < rows.length; from += 500)
      await tx.insert(transfers).values(rows.slice(from, from + 500));
    if (withAssets)
      await tx.insert(transferItems).values(rows.map(({ id: transferId }) => ({ transferId, ...asset() })));
  });
}

/** A bot that counts its calls to Steam and reads these trades as complete, except the named ones. */
function watching(amount: number, facts: { reversed?: string; hidden?: string } = {}) {
  let calls = 0;
  const reportOf = (tradeId: string): TradeReport => ({
    standing: tradeId === facts.reversed ? 'reversed' : 'complete',
    moved: [],
  });
  const { work, time } = makeTransferWork(db, botId, {
    getTrade: async (tradeId) => {
      calls += 1;
      return { ok: true, value: reportOf(tradeId) };
    },
    tradesSince: async () => {
      const ids = Array.from({ length: amount }, (_, nth) => `t${nth}`).filter((id) => id !== facts.hidden);
      const pages = Math.ceil(amount / 100);
      calls += pages;
      return {
        ok: true,
        value: { trades: new Map(ids.map((id) => [id, reportOf(id)])), parties: new Map(), pages },
      };
    },
  });
  const settle = settleTrades({ ...work, pace: { ...work.pace, settleMs: 10 * 60_000 } });
  const run = async (ms: number) => {
    const untilMs = time.nowMs + ms;
    while (time.nowMs < untilMs) {
      const dueMs = await settle(signal);
      const passedMs = Math.max(1000, Math.min(dueMs ?? hour, untilMs - time.nowMs));
      time.nowMs += passedMs;
      passTime(passedMs);
    }
  };
  return { run, calls: () => calls };
}

const inState = (state: 'settled' | 'reversed') => db.read.$count(transfers, is(transfers.state, state));

test('Ten thousand accepted trades take fewer than ten thousand calls a day', async () => {
  await acceptTrades(8 * DAILY_TRADES);
  const { run, calls } = watching(8 * DAILY_TRADES);
  await run(day);
  expect(await inState('settled')).toBeGreaterThan(DAILY_TRADES - 100);
  expect(calls()).toBeLessThan(10_000);
});

test('A reversal among many is found within the hour, and so is one that the history does not show', async () => {
  await acceptTrades(300, { withAssets: true });
  const seen = watching(300, { reversed: 't299' });
  await seen.run(hour / 2);
  expect(await inState('reversed')).toBe(1);
  const unseen = watching(300, { reversed: 't298', hidden: 't298' });
  await unseen.run(hour);
  expect(await inState('reversed')).toBe(2);
});

/** A bot that counts its readings of these trades; its history has the given number of pages, or cannot be read. */
function counting(amount: number, facts: { pages: number | null; hidden?: string; clockAheadMs?: number }) {
  const { pages, hidden, clockAheadMs = 0 } = facts;
  const report: TradeReport = { standing: 'complete', moved: [] };
  const listed = Array.from({ length: amount }, (_, nth) => `t${nth}`).filter((id) => id !== hidden);
  const trades = new Map(listed.map((id) => [id, report]));
  const getTrade = vi.fn<SteamAccount['getTrade']>(async () => ({ ok: true, value: report }));
  const tradesSince = vi.fn<SteamAccount['tradesSince']>(async () =>
    pages === null
      ? failure('steamUnavailable', 'later')
      : { ok: true, value: { trades, parties: new Map(), pages } },
  );
  const { work } = makeTransferWork(db, botId, { getTrade, tradesSince, clockAheadMs });
  const settle = settleTrades({ ...work, pace: { ...work.pace, settleMs: 10 * minute } });
  /** Milliseconds until the next round, what was read of the history, and how many trades by themselves. */
  const roundAfter = async (ms: number) => {
    passTime(ms);
    const dueMs = await settle(signal);
    const since = tradesSince.mock.calls.map(([sinceMs]) => sinceMs);
    const single = getTrade.mock.calls.length;
    for (const verb of [tradesSince, getTrade]) verb.mockClear();
    return { dueMs, since, single };
  };
  return { roundAfter };
}

/** So many accepted trades that are not final for a month. */
async function watchedTrades(amount: number) {
  await acceptTrades(amount);
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ settlesAtMs: START_MS + 30 * day });
  });
}

test('Ten trades are read one by one', async () => {
  await watchedTrades(10);
  const { roundAfter } = counting(10, { pages: 1 });
  const round = { dueMs: 10 * minute, since: [], single: 10 };
  expect(await roundAfter(0)).toEqual(round);
  expect(await roundAfter(10 * minute - 1)).toEqual({ ...round, dueMs: 1, single: 0 });
  expect(await roundAfter(1)).toEqual(round);
});

test('Eleven trades are read from the history since an hour before the oldest was sent, by the slower clock', async () => {
  await watchedTrades(11);
  await db.transaction(async (tx) => {
    await tx
      .update(transfers)
      .set({ sentAtMs: START_MS - day })
      .where(eq(transfers.tradeId, 't7'));
  });
  for (const [clockAheadMs, beforeMs] of [
    [0, hour],
    [hour, hour],
    [-hour, 2 * hour],
  ] as const) {
    const { roundAfter } = counting(11, { pages: 1, clockAheadMs });
    const round = { dueMs: 10 * minute, since: [START_MS - day - beforeMs], single: 0 };
    expect(await roundAfter(0)).toEqual(round);
    expect(await roundAfter(10 * minute - 1)).toEqual({ ...round, dueMs: 1, since: [] });
    expect(await roundAfter(1)).toEqual(round);
  }
});

test('A long history is read less often, and a trade that it hides by itself, half as often', async () => {
  await watchedTrades(11);
  const { roundAfter } = counting(11, { pages: 600, hidden: 't3' });
  const pauseMs = day / 10;
  expect(await roundAfter(0)).toMatchObject({ dueMs: pauseMs, single: 1 });
  expect(await roundAfter(pauseMs - 1)).toEqual({ dueMs: 1, since: [], single: 0 });
  const { since, single } = await roundAfter(1);
  expect([since.length, single]).toEqual([1, 0]);
  expect((await roundAfter(pauseMs)).single).toBe(1);
});

test('While the history cannot be read, the trades are read by themselves, and it is tried again', async () => {
  await watchedTrades(11);
  const { roundAfter } = counting(11, { pages: null });
  expect(await roundAfter(0)).toMatchObject({ dueMs: 10 * minute, single: 11 });
  const { since, single } = await roundAfter(10 * minute);
  expect([since.length, single]).toEqual([1, 0]);
  expect((await roundAfter(10 * minute)).single).toBe(11);
});

test('A process that stops reads no further trade', async () => {
  await watchedTrades(2);
  const stopping = new AbortController();
  const getTrade = vi.fn<SteamAccount['getTrade']>(async () => {
    stopping.abort();
    return failure('steamUnavailable', 'later');
  });
  const { work } = makeTransferWork(db, botId, { getTrade });
  expect(await settleTrades(work)(stopping.signal)).toBeNull();
  expect(getTrade).toHaveBeenCalledTimes(1);
});
