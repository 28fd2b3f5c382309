import { vi } from 'vitest';
import type {
  AssetName,
  InventoryItem,
  SentOffer,
  SteamAccount,
  SteamAnswer,
  TradeHistory,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { resolveUncertain } from '#bot/steam/transfers/resolve-uncertain.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, transferOf } from '#tests/support/looking.ts';
import { passTime } from '#tests/support/passing-time.ts';
import { botId, db, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

export const noTrades: TradeHistory = { trades: new Map(), parties: new Map(), pages: 1 };

/** Asks for one item of each of these games. */
export async function queueDeposit(appIds = [730], { userId } = streamer): Promise<string> {
  const requestId = newId(START_MS);
  const assets = appIds.map((appId) => asset('Demo case', { appId }));
  const asked = { requestId, userId, assets };
  await requestDeposit(db, asked, START_MS, Date.now());
  return requestId;
}

/** A deposit whose sending got no answer, and a bot to whom Steam lists these offers. */
export async function uncertainDeposit(
  list: { offers: SentOffer[]; unreadable: number },
  tradesSince: SteamAccount['tradesSince'] = async () => ({
    ok: true,
    value: noTrades,
  }),
  appIds?: number[],
) {
  const transferId = await queueDeposit(appIds);
  await sendQueued(db, START_MS);
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ state: 'uncertain', offerId: null }).where(is(transfers.state, 'sent'));
  });
  const receive: AssetName[] = await assetsIn(db, transferId);
  const { securityCode, partnerSteamId, createdAtMs } = await transferOf(db, transferId);
  const offer = (offerId: string, facts: Partial<SentOffer> = {}): SentOffer => ({
    offerId,
    partnerSteamId,
    message: `Keepsake ${securityCode}`,
    state: 'Active',
    tradeId: null,
    createdAtMs,
    items: { give: [], receive },
    ...facts,
  });
  const page: { shown: SteamAnswer<string[]>; offers: Record<string, SteamAnswer<SentOffer>> } = {
    shown: { ok: true, value: [] },
    offers: {},
  };
  const cancelOffer = vi.fn<SteamAccount['cancelOffer']>(async () => failure('steamBusy', 'later'));
  const { work } = makeTransferWork(db, botId, {
    offersSince: async () => ({ ok: true, value: list }),
    // With their streamer.
    inventory: async () => ({ ok: true, value: receive as unknown as InventoryItem[] }),
    cancelOffer,
    tradesSince,
    visitSentOffers: async () => page.shown,
    offer: async (offerId) => page.offers[offerId] ?? failure('offerUnknown', 'later'),
  });
  const nudge = vi.spyOn(work, 'nudge');
  const round = resolveUncertain(work);
  const rounds = async (amount: number) => {
    for (let nth = 0; nth < amount; nth += 1) {
      passTime(work.pace.absenceMs);
      await round();
    }
  };
  const state = async () => (await transferOf(db, transferId)).state;
  const known = { transferId, partnerSteamId, createdAtMs };
  return { ...known, offer, work, nudge, round, rounds, state, cancelOffer, page };
}
