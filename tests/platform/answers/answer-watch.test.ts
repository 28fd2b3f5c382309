import { expect, test } from 'vitest';
import { z } from 'zod';
import { AnswerWatch } from '#platform/answers/answer-watch.ts';
import type { AnswerShape } from '#platform/answers/odd-answer.ts';

const shape: AnswerShape = {
  platform: 'steam',
  place: 'IEconService/GetTradeStatus/v1',
  schema: z.object({
    trades: z.array(
      z.object({
        tradeid: z.string(),
        status: z.literal([0, 3, 12]),
        kind: z.enum(['gift', 'swap']).optional(),
      }),
    ),
  }),
  reaction: 'rowSkipped',
  newValues: { 'trades[].status': 'pending' },
  source: 'https://example.com',
};

test('An answer that fits leaves nothing', () => {
  const watch = new AnswerWatch();
  watch.look(shape, { trades: [{ tradeid: '7', status: 3, time: 1 }] });
  expect(watch.take()).toEqual([]);
});

test('A new status is counted once an answer, with the reaction to it', () => {
  const watch = new AnswerWatch();
  const odd = { tradeid: '5551234', status: 13 };
  watch.look(shape, { trades: [{ tradeid: '7', status: 3 }, odd, odd] });
  watch.look(shape, { trades: [odd] });
  expect(watch.take()).toEqual([
    {
      platform: 'steam',
      place: 'IEconService/GetTradeStatus/v1',
      path: 'trades[].status',
      difference: 'value',
      found: '13',
      reaction: 'pending',
      example: '{"tradeid":"string","status":"number"}',
      count: 2,
    },
  ]);
  expect(watch.take()).toEqual([]);
});

test('A missing field and another type are told apart', () => {
  const watch = new AnswerWatch();
  watch.look(shape, { trades: [{ status: '3' }, { tradeid: 7, status: 0 }] });
  expect(
    watch.take().map(({ path, difference, found, reaction }) => [path, difference, found, reaction]),
  ).toEqual([
    ['trades[].tradeid', 'missing', '', 'rowSkipped'],
    ['trades[].status', 'type', 'string', 'rowSkipped'],
    ['trades[].tradeid', 'type', 'number', 'rowSkipped'],
  ]);
});

test('Neither ids nor names nor tokens of an answer are kept', () => {
  const watch = new AnswerWatch();
  const secrets = {
    '76561198000000001': 'Mira',
    tradeid: 7_656_119_800_000,
    status: 987654321,
    kind: 'eyJhbGciOi.eyJzdWIi',
    note: 'mira@example.com',
    deep: { personaname: 'Mira', list: ['abc', 'def', 'ghi'] },
  };
  watch.look(shape, { trades: [secrets] });
  const recorded = JSON.stringify(watch.take());
  for (const secret of ['Mira', 'mira', '7656', '98765', 'eyJ', 'abc'])
    expect(recorded).not.toContain(secret);
  expect(recorded).toContain('personaname');
});

test('What could not be stored is counted again, and the number that waits is bounded', () => {
  const watch = new AnswerWatch();
  watch.look(shape, { trades: [{ tradeid: '1', status: 13 }] });
  const unstored = watch.take();
  watch.look(shape, { trades: [{ tradeid: '2', status: 13 }] });
  watch.putBack(unstored);
  expect(watch.take()).toMatchObject([{ found: '13', count: 2 }]);
  const noise = (of: Partial<AnswerShape>) => {
    for (let status = 100; status < 300; status += 1)
      watch.look({ ...shape, ...of }, { trades: [{ tradeid: '1', status }] });
  };
  for (let place = 0; place < 9; place += 1) noise({ place: `method ${place}` });
  noise({ platform: 'twitch' });
  const taken = watch.take();
  const amountOf = (found: (odd: (typeof taken)[number]) => boolean) => taken.filter(found).length;
  expect(amountOf(({ place }) => place === 'method 0')).toBe(10);
  expect(amountOf(({ platform }) => platform === 'steam')).toBe(50);
  expect(amountOf(({ platform }) => platform === 'twitch')).toBe(10);
});

test('An answer of any form is survived', () => {
  const watch = new AnswerWatch();
  for (const answer of [null, undefined, 7, 'text', [], { trades: null }, { trades: [null] }])
    watch.look(shape, answer);
  expect(watch.take().map(({ path, difference, found }) => [path, difference, found])).toEqual([
    ['', 'type', 'null'],
    ['', 'missing', ''],
    ['', 'type', 'number'],
    ['', 'type', 'string'],
    ['', 'type', 'list'],
    ['trades', 'type', 'null'],
    ['trades[]', 'type', 'null'],
  ]);
});
