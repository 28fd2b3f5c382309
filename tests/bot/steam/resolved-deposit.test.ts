import { beforeEach, expect, test, vi } from 'vitest';
import type { SentOffer, SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { transfers } from '#db/schema/transfer.ts';
import { resolveTransfer } from '#domain/custody/resolve-transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf, transferOf } from '#tests/support/looking.ts';
import { holdTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

/** A deposit that the operator resolved as delivered; `look` watches it, while its offer shows these facts. */
async function resolvedDeposit() {
  const transferId = newId(START_MS);
  const request = { requestId: transferId, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, request, START_MS, Date.now());
  await sendQueued(db, START_MS);
  await leaveUnknownAsset(db, { botId, nowMs: START_MS });
  const finding = { as: 'delivered' } as const;
  await resolveTransfer(db, { transferId, finding }, START_MS, Date.now());
  const { partnerSteamId, offerId, securityCode } = await transferOf(db, transferId);
  const look = async (facts: Partial<SentOffer> = {}) => {
    const shown = { offerId, partnerSteamId, state: 'Accepted', tradeId: 't1', ...facts };
    const offer = { message: `Keepsake ${securityCode}`, ...shown } as SentOffer;
    const report: TradeReport = { standing: 'reversed', moved: [] };
    const { work } = makeTransferWork(db, botId, {
      offer: async () => ({ ok: true, value: offer }),
      getTrade: async () => ({ ok: true, value: report }),
    });
    await settleTrades(work)(new AbortController().signal);
  };
  return { transferId, look };
}

test('A reversal of a deposit that the operator resolved is found by the trade of its offer', async () => {
  const { transferId, look } = await resolvedDeposit();
  await look({ tradeId: null });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'accepted', tradeId: null });
  await look();
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'reversed', tradeId: 't1' });
  expect((await itemsOf(db, streamer.userId)).map(({ state }) => state)).toEqual(['gone']);
});

test('The trade of an offer that is not the transfer’s is not watched', async () => {
  const { transferId, look } = await resolvedDeposit();
  await look({ message: 'Keepsake AAAA-AAAA' });
  await look({ partnerSteamId: '76561198000000001' });
  await look({ state: 'Declined' });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'accepted', tradeId: null });
});

test('An offer that cannot be read, or is not known, names no trade', async () => {
  const { transferId } = await resolvedDeposit();
  const offer = vi.fn<SteamAccount['offer']>(async () => failure('steamUnavailable', 'later'));
  const { work } = makeTransferWork(db, botId, { offer });
  const look = () => settleTrades(work)(new AbortController().signal);
  await look();
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ offerId: null });
  });
  await look();
  expect(offer).toHaveBeenCalledTimes(1);
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'accepted', tradeId: null });
});
