import { beforeEach, expect, test, vi } from 'vitest';
import type { TradeReport } from '#bot/steam/steam-account.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { is } from '#db/dialect.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/id.ts';
import { day, hour } from '#domain/time.ts';
import { asset, START_MS } from '#tests/support/fixtures.ts';
import { botId, database, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
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
  await database.transaction(async (tx) => {
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
  const { work, time } = makeTransferWork(database, botId, {
    getTrade: async (tradeId) => {
      calls += 1;
      return { ok: true, value: reportOf(tradeId) };
    },
    tradesSince: async () => {
      const ids = Array.from({ length: amount }, (_, nth) => `t${nth}`).filter((id) => id !== facts.hidden);
      const pages = Math.ceil(amount / 100);
      calls += pages;
      return { ok: true, value: { trades: new Map(ids.map((id) => [id, reportOf(id)])), pages } };
    },
  });
  const settle = settleTrades({ ...work, pace: { ...work.pace, settleMs: 10 * 60_000 } });
  const run = async (ms: number) => {
    const untilMs = time.nowMs + ms;
    while (time.nowMs < untilMs) {
      const dueMs = await settle(signal);
      const passedMs = Math.max(1000, Math.min(dueMs ?? hour, untilMs - time.nowMs));
      time.nowMs += passedMs;
      vi.setSystemTime(Date.now() + passedMs);
    }
  };
  return { run, calls: () => calls };
}

const inState = (state: 'settled' | 'reversed') =>
  database.read.$count(transfers, is(transfers.state, state));

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
