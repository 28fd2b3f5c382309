import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { outsideRequests, requestOfLine, withRequestId } from '#platform/request-id.ts';

test('What follows from a request knows it, and what serves all of them does not', async () => {
  const later = async () => {
    await nextTurn();
    return requestOfLine();
  };
  const [own, shared] = withRequestId('first', () => [later(), outsideRequests(later)]);
  expect([await own, await shared, requestOfLine()]).toEqual([{ requestId: 'first' }, {}, {}]);
});
