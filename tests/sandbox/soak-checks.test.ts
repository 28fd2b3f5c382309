import { expect, test } from 'vitest';
import { offerState, type Trade, type TradeOffer, tradeStatus } from '#sandbox/steam/state.ts';
import { neverInCustody } from '#tests/soak/check-steam.ts';

const offer = (id: string, tradeId: string) => ({ id, tradeId, state: offerState.accepted }) as TradeOffer;
const trade = (id: string, status: Trade['status']) => ({ id, status }) as Trade;

test('Only a failed deposit whose trade was reversed was never in custody', () => {
  const steam = {
    offers: [offer('1', 'a'), offer('2', 'b'), offer('3', 'a'), offer('4', 'a')],
    trades: [trade('a', tradeStatus.protectionRollback), trade('b', tradeStatus.complete)],
  };
  const never = neverInCustody(steam, [
    { kind: 'deposit', state: 'failed', offerId: '1' },
    { kind: 'deposit', state: 'failed', offerId: '2' },
    { kind: 'deposit', state: 'reversed', offerId: '3' },
    { kind: 'claim', state: 'failed', offerId: '4' },
  ]);
  expect([...never]).toEqual(['1']);
});
