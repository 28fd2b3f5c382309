import { expect, test } from 'vitest';
import { day } from '#domain/kernel/time.ts';
import { endsAtOnce, goesOnUntil } from '#domain/subscription/cancelling.ts';
import { START_MS } from '#tests/support/fixtures.ts';

const endMs = START_MS + 30 * day;
const nowMs = START_MS + 10 * day;
const paid = { state: 'active', periodEndMs: endMs, trialUntilMs: null, paidUntilMs: endMs } as const;

test.each([
  ['paid', {}, endMs],
  [
    'in its trial',
    { state: 'trialing', trialUntilMs: START_MS + 11 * day, paidUntilMs: null },
    START_MS + 11 * day,
  ],
  ['whose debit is under way', { paidUntilMs: null }, endMs],
  ['paid, with another charge overdue', { state: 'grace' }, endMs],
  ['paid beyond its period', { state: 'grace', paidUntilMs: endMs + day }, endMs],
] as const)('A subscription that is %s is kept to its end', (_, facts, untilMs) => {
  const subscription = { ...paid, ...facts };
  expect([endsAtOnce(subscription), goesOnUntil(subscription, nowMs)]).toEqual([false, untilMs]);
});

test.each([
  ['paid at no time', null, null],
  ['paid until a while ago', START_MS, null],
  ['paid until now', nowMs, null],
  ['paid for a part of its period', nowMs + 1, nowMs + 1],
])('An overdue subscription that is %s ends at once', (_, paidUntilMs, untilMs) => {
  const subscription = { ...paid, state: 'grace', paidUntilMs } as const;
  expect([endsAtOnce(subscription), goesOnUntil(subscription, nowMs)]).toEqual([true, untilMs]);
});
