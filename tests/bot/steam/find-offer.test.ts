import { beforeEach, expect, test, vi } from 'vitest';
import type { SentOffer, SteamAccount } from '#bot/steam/steam-account.ts';
import { findOffer } from '#bot/steam/transfers/find-offer.ts';
import { recordSelfTest } from '#domain/bot/record-self-test.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const recordTest = (difference: 'state' | null) =>
  recordSelfTest(
    db,
    { botId, tests: [{ endpoint: 'offer', appId: 730, offers: 'open', difference, offerId: '1' }] },
    START_MS,
  );

test('While a self-test doubts offers by their ids, the list has to say the same', async () => {
  const asked = { requestId: newId(START_MS), userId: streamer.userId, assets: [asset('Demo case')] };
  await requestDeposit(db, asked, START_MS, Date.now());
  await sendQueued(db, START_MS);
  const [transfer] = await listBotTransfers(db.read, { botId, states: ['sent'] });
  if (!transfer?.offerId) throw new Error('no offer');
  const { offerId } = transfer;
  const shown = (state: SentOffer['state']) => ({ offerId, state }) as SentOffer;
  const listed = { offers: [shown('Active')] };
  const account = {
    clockAheadMs: 0,
    offer: async () => ({ ok: true, value: shown('Canceled') }),
    offersSince: async () => ({ ok: true, value: { ...listed, unreadable: 0 } }),
  } as unknown as SteamAccount;
  const { work } = makeTransferWork(db, botId, account);
  const find = () => findOffer(work, account, transfer, offerId);

  expect(await find()).toMatchObject({ ok: true, value: { state: 'Canceled' } });
  await recordTest('state');
  expect(await find()).toMatchObject({ ok: false, code: 'steamUnavailable' });
  listed.offers = [shown('Canceled')];
  // The list is asked after a pause.
  expect(await find()).toMatchObject({ ok: false, code: 'steamUnavailable' });
  passTime(hour);
  expect(await find()).toMatchObject({ ok: true, value: { state: 'Canceled' } });
  listed.offers = [];
  expect(await find()).toMatchObject({ ok: false, code: 'offerUnknown' });
  await recordTest(null);
  expect(await find()).toMatchObject({ ok: true });
});
