import { expect, test } from 'vitest';
import {
  holdAnswer,
  holdDurationsOf,
  isOlder,
  refusalOf,
  reversalIn,
  tradeReportOf,
  tradesAnswer,
} from '#bot/steam/trade-web-api.ts';

/** A trade as the Web API describes it. */
function trade(facts: object = {}) {
  const { response } = tradesAnswer.parse({ response: { trades: [{ tradeid: '1', status: 3, ...facts }] } });
  return response.trades[0]!;
}
const given = { appid: 730, assetid: '5', new_assetid: '6', new_contextid: 16 };

test('Only a complete trade counts as complete; an unknown one may still happen', () => {
  const standings = Array.from({ length: 13 }, (_, status) => tradeReportOf(trade({ status })).standing);
  expect(standings).toEqual([
    ...Array(3).fill('pending'),
    'complete',
    'rolledBack',
    'reversedInPart',
    'reversed',
    'reversedInPart',
    ...Array(2).fill('complete'),
    'escrowed',
    'rolledBack',
    'reversed',
  ]);
});

test('A trade reports the new ids of what moved on either side, when it was made and when it is final', () => {
  const received = { appid: 440, assetid: '7', new_assetid: '8' };
  const card = { appid: 753, assetid: '10', new_assetid: '11' };
  const still = { appid: 730, assetid: '9' };
  const times = { time_init: 1_700_000_000, time_settlement: 1_800_000_000 };
  const report = tradeReportOf(
    trade({ assets_given: [given, still], assets_received: [received, card], ...times }),
  );
  expect(report).toEqual({
    standing: 'complete',
    madeAtMs: 1_700_000_000_000,
    settlesAtMs: 1_800_000_000_000,
    moved: [
      { appId: 730, assetId: '5', newAssetId: '6', newContextId: '16' },
      { appId: 440, assetId: '7', newAssetId: '8', newContextId: '2' },
      { appId: 753, assetId: '10', newAssetId: '11', newContextId: '6' },
    ],
  });
  expect(tradeReportOf(trade())).toEqual({ standing: 'complete', moved: [] });
});

test('A reversal’s assets come from the trade that reversed it, or else from the trade itself', () => {
  const rolledBack = { ...given, rollback_new_assetid: '10', rollback_new_contextid: 16 };
  const reversed = trade({ status: 12, assets_given: [rolledBack, given] });
  const own = [{ appId: 730, assetId: '6', newAssetId: '10', newContextId: '16' }];
  expect(reversalIn([trade({ tradeid: '2', rollback_trade: '3' })], reversed)).toEqual(own);

  const back = { appid: 730, assetid: '6', new_assetid: '11', new_contextid: 2 };
  const plain = trade({ status: 12, assets_given: [given] });
  const reversal = trade({ tradeid: '2', rollback_trade: '1', assets_received: [back] });
  expect(reversalIn([plain, reversal], plain)).toEqual([
    { appId: 730, assetId: '6', newAssetId: '11', newContextId: '2' },
  ]);
});

test('A reversal that repeats the trade names the first ids again', () => {
  const row = { appid: 730, contextid: '2', assetid: '51978272357' };
  const reversed = trade({ status: 12, assets_given: [row] });
  const reversal = trade({ tradeid: '2', rollback_trade: '1', assets_given: [row] });
  expect(reversalIn([reversal, reversed], reversed)).toEqual([
    { appId: 730, assetId: '51978272357', newAssetId: '51978272357', newContextId: '2' },
  ]);
});

test('A time may be quoted, and an odd row hides no other', () => {
  expect(tradeReportOf(trade({ time_settlement: '1800000000' })).settlesAtMs).toBe(1_800_000_000_000);
  const { response } = tradesAnswer.parse({
    response: {
      trades: [null, { tradeid: '7', status: 'x' }, { tradeid: '8', status: 77, assets_given: null }],
    },
  });
  expect(response.trades.map(({ tradeid }) => tradeid)).toEqual(['8']);
  expect(tradeReportOf(response.trades[0]!).standing).toBe('pending');
});

test('A hold is counted in whole days for each side', () => {
  const answer = (my_escrow: object, their_escrow: object) =>
    holdDurationsOf(holdAnswer.parse({ response: { my_escrow, their_escrow } }));
  expect(answer({}, { escrow_end_duration_seconds: 86_401 })).toEqual({ ourDays: 0, theirDays: 2 });
  expect(answer({ escrow_end_duration_seconds: 86_400 }, {})).toEqual({ ourDays: 1, theirDays: 0 });
});

test('Only a result other than success is a refusal', () => {
  expect(refusalOf('2', true)).toBeNull();
  expect(refusalOf(undefined, false)).toBeNull();
  expect(refusalOf('1', true)).toBeNull();
  for (const result of ['8', '15'])
    expect(refusalOf(result, true)).toMatchObject({ ok: false, code: 'steamTokenInvalid', retry: 'never' });
  expect(refusalOf('84', true)).toMatchObject({ code: 'steamBusy', retry: 'later' });
  expect(refusalOf('2', false)).toMatchObject({
    code: 'steamUnavailable',
    retry: 'later',
    detail: 'result 2',
  });
});

test('A reversal whose record names no context gives its assets back to the usual one', () => {
  const rolledBack = { ...given, rollback_new_assetid: '10' };
  const named = (facts: object) =>
    reversalIn([], trade({ status: 12, assets_given: [{ ...rolledBack, ...facts }] }));
  for (const facts of [{}, { rollback_new_contextid: null }])
    expect(named(facts)).toEqual([{ appId: 730, assetId: '6', newAssetId: '10', newContextId: '2' }]);
  const back = { appid: 730, assetid: '6', new_assetid: '11', new_contextid: null };
  const reversal = trade({ tradeid: '2', rollback_trade: '1', assets_received: [back] });
  expect(reversalIn([reversal], trade({ status: 12 }))).toMatchObject([{ newContextId: '2' }]);
});

test('An asset whose first trade named no new id is no part of the reversal', () => {
  const moved = { appid: 730, assetid: '5', rollback_new_assetid: '10' };
  expect(reversalIn([], trade({ status: 12, assets_given: [moved] }))).toEqual([]);
});

test('A trade is older than another only if the times of both say so', () => {
  const at = (time_init: number | null) => trade({ time_init });
  expect(isOlder(at(1000), at(1001))).toBe(true);
  expect(isOlder(at(1000), at(1000))).toBe(false);
  expect(isOlder(at(1001), at(1000))).toBe(false);
  expect(isOlder(at(null), at(1000))).toBe(false);
  expect(isOlder(at(1000), at(null))).toBe(false);
  expect(isOlder(undefined, at(1000))).toBe(false);
});
