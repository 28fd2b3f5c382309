import { expect, test } from 'vitest';
import { createLog } from '#bot/log.ts';
import { openShards } from '#bot/twitch/events/event-shards.ts';

test('Shards beyond the size of a conduit are no other process, and one within it is', () => {
  const ignored = () => {};
  const shards = openShards(2, {
    url: 'ws://127.0.0.1:1',
    log: createLog('silent'),
    events: { welcomed: ignored, lost: ignored, notified: ignored, revoked: ignored },
  });
  expect(shards.areElsewhere(new Map([['7', 'a-session-before-the-resize']]))).toBe(false);
  const both = new Map([
    ['1', 'a-session-of-another'],
    ['7', 'a-session-before-the-resize'],
  ]);
  expect(shards.areElsewhere(both)).toBe(true);
});
