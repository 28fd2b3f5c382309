import { expect, test, vi } from 'vitest';
import { cancelOffers } from '#bot/steam/transfers/cancel-offers.ts';
import { cancelStrays } from '#bot/steam/transfers/cancel-strays.ts';
import { confirmOffers } from '#bot/steam/transfers/confirm-offers.ts';
import { deliverTransfers } from '#bot/steam/transfers/deliver-transfers.ts';
import { followOffers } from '#bot/steam/transfers/follow-offers.ts';
import { reconcileInventory } from '#bot/steam/transfers/reconcile-inventory.ts';
import { resolveUncertain } from '#bot/steam/transfers/resolve-uncertain.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import type { TransferWork } from '#bot/steam/transfers/transfer-work.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

type Round = (work: TransferWork, signal: AbortSignal) => Promise<unknown>;
const rounds: [what: string, state: (typeof transfers.$inferSelect)['state'], Round][] = [
  ['sent', 'queued', (work, signal) => deliverTransfers(work, () => [], signal)],
  ['confirmed', 'unconfirmed', (work) => confirmOffers(work)()],
  ['followed', 'sent', (work, signal) => followOffers(work).round(signal)],
  ['cancelled', 'queued', cancelOffers],
  ['looked for', 'uncertain', (work) => resolveUncertain(work)()],
  ['settled', 'accepted', (work, signal) => settleTrades(work)(signal)],
  ['compared', 'queued', (work, signal) => reconcileInventory(work)(signal)],
  ['cleared of strays', 'queued', cancelStrays],
];

test.each(rounds)(
  'While the bot has no account, nothing is %s, and nothing is due',
  async (what, state, round) => {
    const requestId = newId(START_MS);
    const asked = { requestId, userId: streamer.userId, assets: [asset()] };
    await requestDeposit(db, asked, START_MS, Date.now());
    if (state !== 'queued') await sendQueued(db, START_MS);
    await db.transaction(async (tx) => {
      await tx.update(transfers).set({ state, cancelWanted: what === 'cancelled' });
    });
    const { work } = makeTransferWork(db, botId, {});
    const nudge = vi.spyOn(work, 'nudge');
    const { signal } = new AbortController();
    expect((await round({ ...work, account: () => null }, signal)) ?? null).toBeNull();
    expect(await transferOf(db, requestId)).toMatchObject({
      state,
      attempts: state === 'queued' ? 0 : 1,
    });
    expect(nudge).not.toHaveBeenCalled();
  },
);
