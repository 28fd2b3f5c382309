import { expect, test } from 'vitest';
import { Replay, type ReplayedShape } from '#sandbox/shapes/replay.ts';

const change = (path: string, difference: ReplayedShape['difference'], found = ''): ReplayedShape => ({
  platform: 'steam',
  place: 'trades',
  path,
  difference,
  found,
});
const usual = {
  response: {
    trades: [
      { id: '1', status: 3 },
      { id: '2', status: 11, more: 'x' },
    ],
  },
};

test.each([
  [change('response.trades[].status', 'value', '13'), [{ status: 13 }, { status: 13 }]],
  [change('response.trades[].id', 'type', 'number'), [{ id: 1 }, { id: 1 }]],
  [change('response.trades[].id', 'value', '4000'), [{ id: '4000' }, { id: '4000' }]],
  [change('response.trades[].more', 'value', 'paused'), [{ id: '1' }, { more: 'paused' }]],
  [change('response.trades[].id', 'value', '…'), [{ id: 'something_new' }, { id: 'something_new' }]],
])('A reported difference is replayed in every row that has the field: %o', (shape, rows) => {
  const replay = new Replay();
  replay.speak([shape]);
  expect(replay.answer('trades', usual)).toMatchObject({ response: { trades: rows } });
  expect(replay.answer('offers', usual)).toBe(usual);
  expect(usual.response.trades[0]).toEqual({ id: '1', status: 3 });
});

test('A missing field is left out, and nothing fails where an answer has no such place', () => {
  const replay = new Replay();
  replay.speak([change('response.trades[].id', 'missing')]);
  expect(replay.answer('trades', usual)).toEqual({
    response: { trades: [{ status: 3 }, { status: 11, more: 'x' }] },
  });
  for (const other of [null, 7, [], { response: null }, { response: { trades: 'none' } }])
    expect(replay.answer('trades', other)).toEqual(other);
  replay.speak([]);
  expect(replay.answer('trades', usual)).toBe(usual);
});

test('In answers of Stripe every object of the kind is changed, however deep', () => {
  const replay = new Replay();
  const list = {
    object: 'list',
    data: [{ object: 'trades', state: 'a', more: { object: 'trades', state: 'b' } }],
  };
  expect(replay.objects(list)).toBe(list);
  replay.speak([change('state', 'value', 'resting')]);
  expect(replay.objects(list)).toEqual({
    object: 'list',
    data: [{ object: 'trades', state: 'resting', more: { object: 'trades', state: 'resting' } }],
  });
});
