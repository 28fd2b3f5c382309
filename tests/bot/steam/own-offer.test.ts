import { expect, test } from 'vitest';
import type { SentOffer } from '#bot/steam/steam-account.ts';
import { holds, offersOf } from '#bot/steam/transfers/own-offers.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';

const transfer = {
  kind: 'claim',
  securityCode: 'K7Q2-M4XD',
  partnerSteamId: '76561198000000001',
  assets: [{ appId: 730, assetId: '5', newAssetId: null }],
} as BotTransfer;
const offer: SentOffer = {
  offerId: '1',
  partnerSteamId: '76561198000000001',
  message: 'Keepsake K7Q2-M4XD – Your reward.',
  state: 'Active',
  tradeId: null,
  createdAtMs: 0,
  items: { give: [{ appId: 730, contextId: '2', assetId: '5' }], receive: [] },
};
const asset = (assetId: string) => ({ appId: 730, contextId: '2', assetId });

const own = (change: Partial<SentOffer>) => {
  const [found] = offersOf(transfer, [{ ...offer, ...change }]);
  return found !== undefined && holds(found, transfer);
};
const giving = (...give: { appId: number; contextId: string; assetId: string }[]) => ({
  items: { give, receive: [] },
});

const others: [string, Partial<SentOffer>][] = [
  ['another code', { message: 'Keepsake AAAA-AAAA' }],
  ['no message', { message: null }],
  ['another partner', { partnerSteamId: '76561198000000002' }],
  ['another asset', giving(asset('6'))],
  ['one asset more', giving(asset('5'), asset('6'))],
  ['something asked for', { items: { give: [asset('5')], receive: [asset('7')] } }],
  ['the same asset of another game', giving({ ...asset('5'), appId: 440 })],
];
test('An offer belongs to a transfer if code, partner and assets match, or if Steam lists no assets', () => {
  expect(own({})).toBe(true);
  expect(own({ items: null })).toBe(true);
});
for (const [what, change] of others)
  test(`An offer with ${what} does not belong to the transfer`, () => {
    expect(own(change)).toBe(false);
  });

test('An offer of a stack belongs to its transfer only with all of its pieces', () => {
  const stack = { ...transfer, assets: [{ ...transfer.assets[0], amount: 500 }] } as BotTransfer;
  const shown = (amount?: number): SentOffer => ({
    ...offer,
    ...giving({ ...asset('5'), ...(amount && { amount }) }),
  });
  expect([500, undefined, 499, 1].map((amount) => holds(shown(amount), stack))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(offersOf(stack, [{ ...shown(120), state: 'Accepted' }])).toEqual([]);
});

test('Of several offers the one that went furthest comes first, and what is over with other items is left out', () => {
  const offers: SentOffer[] = [
    { ...offer, offerId: '1', state: 'CreatedNeedsConfirmation' },
    { ...offer, offerId: '2', ...giving(asset('6')) },
    { ...offer, offerId: '3', state: 'Canceled', ...giving(asset('6')) },
    { ...offer, offerId: '4', state: 'Accepted' },
  ];
  expect(offersOf(transfer, offers).map(({ offerId }) => offerId)).toEqual(['4', '2', '1']);
});

test('A cancelled offer of an earlier attempt does not decide the outcome of a later one', () => {
  for (const state of ['Canceled', 'CanceledBySecondFactor'] as const) expect(own({ state })).toBe(false);
  expect(own({ state: 'Declined' })).toBe(true);
});
