import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { eventTypes } from '#billing/handle-events.ts';
import { eventTopics } from '#bot/twitch/events/event-topics.ts';
import { rarerOrders, reportsOutOfOrder } from '#tests/support/rarer-orders.ts';

/** The callee's first name: `test` of `test.each(rows)(name, …)`. */
function rootOf(node: ts.Expression): string {
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return rootOf(node.expression);
  return node.getText();
}

/** The names of a file's tests; `%s` and the like stay. */
function testsIn(file: string): Set<string> {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && rootOf(node) === 'test') {
      const [name] = node.arguments;
      if (name && ts.isStringLiteralLike(name)) names.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

test('Each order that is rarer than the usual one is tried by a test', () => {
  const missing = Object.entries(rarerOrders).flatMap(([file, orders]) => {
    const there = testsIn(`tests/${file}.test.ts`);
    return Object.values(orders).filter((name) => !there.has(name));
  });
  expect(missing).toEqual([]);
});

test('What Twitch and Stripe report comes out of order in one of them', () => {
  const nothing = { catchUp: () => {}, mayMiss: () => {} } as never;
  const handlers = { streams: nothing, follows: nothing, subscribers: nothing, redemptions: nothing };
  // A spare topic repeats what others report, and only has a list read again.
  const topics = eventTopics(handlers).filter(({ isSpare }) => !isSpare);
  const reported = [...topics.map(({ type }) => type), ...eventTypes];
  expect(Object.keys(reportsOutOfOrder).toSorted()).toEqual(reported.toSorted());
  const named = new Set(Object.values(rarerOrders).flatMap((orders) => Object.values(orders)));
  expect(Object.values(reportsOutOfOrder).filter((name) => !named.has(name))).toEqual([]);
});
