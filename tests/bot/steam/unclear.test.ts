import { expect, test } from 'vitest';
import type { SentOffer, SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { followOffers } from '#bot/steam/transfers/follow-offers.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { mails } from '#db/schema/outbox.ts';
import { alarmOfTransfers } from '#domain/custody/alarm-of-transfers.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork, OPERATOR_EMAIL } from '#tests/support/transfer-work.ts';

setScene();

/** A return whose offer is on Steam, and the time at which it was sent. */
async function sentReturn() {
  const depositId = await deposit(db, streamer, [asset()], START_MS - 9 * day);
  await reportTransfer(db, depositId, { event: 'settled' }, START_MS);
  const [item] = await itemsOf(db, streamer.userId);
  const transferId = newId(START_MS);
  await returnItems(db, { requestId: transferId, userId: streamer.userId, itemIds: [item!.id] }, START_MS);
  const [sent] = await sendQueued(db, START_MS);
  return { transferId, offerId: sent!.offerId! };
}

const silent = async () => failure('steamUnavailable', 'later');

/** Each look is one of another process that has only begun, at this many minutes. */
async function readAnew(round: 'follow' | 'settle', minutes: number, verbs: Partial<SteamAccount>) {
  const { work, time } = makeTransferWork(db, botId, verbs);
  time.nowMs = START_MS + minutes * minute;
  const { signal } = new AbortController();
  await (round === 'follow' ? followOffers(work).round(signal) : settleTrades(work)(signal));
}

/** The troubles of transfers that the operator was told of by then. */
async function reportedBy(minutes: number) {
  await alarmOfTransfers(db, { operatorEmail: OPERATOR_EMAIL }, START_MS + minutes * minute);
  const letters = await db.read.select().from(mails);
  return letters.flatMap(({ template, values }) =>
    template === 'transfersUnclear' ? [(values as { trouble: string }).trouble] : [],
  );
}

const RESTARTS = [1, 20, 40, 50];

test('An accepted offer without a trade is told within an hour, however often the bot was started anew', async () => {
  const { offerId } = await sentReturn();
  const offer = { offerId, state: 'Accepted', tradeId: null } as SentOffer;
  for (const minutes of RESTARTS) {
    expect(await reportedBy(minutes)).toEqual([]);
    await readAnew('follow', minutes, {
      offer: async () => ({ ok: true, value: offer }),
      tradesSince: silent,
      inventory: silent,
    });
  }
  expect(await reportedBy(55)).toEqual(['acceptedUnclear']);
});

test('An offer that Steam does not show by its id nor in the list is told, and no more once it is shown', async () => {
  const { transferId, offerId } = await sentReturn();
  const offer = { offerId, state: 'Active', tradeId: null } as SentOffer;
  for (const minutes of RESTARTS) {
    expect(await reportedBy(minutes)).toEqual([]);
    await readAnew('follow', minutes, {
      offer: async () => failure('offerUnknown', 'later'),
      offersSince: async () => ({ ok: true, value: { offers: [], unreadable: 0 } }),
    });
  }
  expect(await reportedBy(55)).toEqual(['offerUnknown']);
  await readAnew('follow', 56, { offer: async () => ({ ok: true, value: offer }) });
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'sent', unclear: null });
});

test('A reversed trade whose items cannot be found is told within an hour, long before it would be final', async () => {
  const { transferId } = await sentReturn();
  const moved = (await assetsIn(db, transferId)).map(({ appId, assetId }) => ({
    appId,
    assetId,
    newAssetId: `${assetId}1`,
    newContextId: '16',
  }));
  const settlesAtMs = START_MS + 8 * day;
  await reportTransfer(db, transferId, { event: 'accepted', tradeId: 't1', moved, settlesAtMs }, START_MS);
  const standing = { now: 'reversed' as TradeReport['standing'] };
  const verbs: Partial<SteamAccount> = {
    getTrade: async () => ({ ok: true, value: { standing: standing.now, moved: [] } }),
    getReversal: silent,
    inventory: silent,
  };
  for (const minutes of RESTARTS) {
    expect(await reportedBy(minutes)).toEqual([]);
    await readAnew('settle', minutes, verbs);
  }
  expect(await reportedBy(55)).toEqual(['reversalUnclear']);
  standing.now = 'complete';
  await readAnew('settle', 56, verbs);
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'accepted', unclear: null });
});
