import { expect, test } from 'vitest';
import type { SentOffer } from '#bot/steam/steam-account.ts';
import { isOfferOf } from '#bot/steam/transfers/resolve-uncertain.ts';
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
  give: [{ appId: 730, contextId: '2', assetId: '5' }],
  receive: [],
};
const asset = (assetId: string) => ({ appId: 730, contextId: '2', assetId });

const others: [string, Partial<SentOffer>][] = [
  ['another code', { message: 'Keepsake AAAA-AAAA' }],
  ['another partner', { partnerSteamId: '76561198000000002' }],
  ['another asset', { give: [asset('6')] }],
  ['one asset more', { give: [asset('5'), asset('6')] }],
  ['no asset', { give: [] }],
  ['something asked for', { receive: [asset('7')] }],
  ['the same asset of another game', { give: [{ ...asset('5'), appId: 440 }] }],
];
test('An offer belongs to a transfer if code, partner and assets match', () => {
  expect(isOfferOf(transfer, offer)).toBe(true);
});
for (const [what, change] of others)
  test(`An offer with ${what} does not belong to the transfer`, () => {
    expect(isOfferOf(transfer, { ...offer, ...change })).toBe(false);
  });
