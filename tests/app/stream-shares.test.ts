import { afterEach, expect, test } from 'vitest';
import { openEventStreams } from '#app/http/event-stream.server.ts';
import { userStream } from '#app/http/user-stream.server.ts';
import { eventStreams } from '#domain/budget/budgets.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment();

const { ofAccount, ofAddress } = eventStreams;
const leaving: AbortController[] = [];
afterEach(() => {
  for (const each of leaving.splice(0)) each.abort();
  expect(openEventStreams()).toBe(0);
});

/** Opens a stream that nobody reads, which can be left; false if it was refused. */
function follow(userId: string, address: string): { leave: () => void; report: () => boolean } | false {
  const left = new AbortController();
  leaving.push(left);
  let isOpen = true;
  const stream = userStream(
    new Request('http://localhost:3000/events', { signal: left.signal }),
    { userId, address },
    {
      source: () => () => {
        isOpen = false;
      },
      mayFollow: () => Promise.resolve(true),
    },
  );
  return stream !== null && { leave: () => left.abort(), report: () => isOpen };
}

const opened = (count: number, of: (nth: number) => ReturnType<typeof follow>) =>
  Array.from({ length: count }, (_, nth) => of(nth)).flatMap((each) => each || []);

test('An account that opens streams from everywhere gets ten, which go on; another opens its own', () => {
  const greedy = opened(3000, (nth) => follow('greedy', `10.1.${Math.floor(nth / 250)}.${nth % 250}`));
  expect(greedy).toHaveLength(ofAccount);
  expect(opened(ofAccount, () => follow('ordinary', '10.1.0.1'))).toHaveLength(ofAccount);
  greedy[0]?.leave();
  expect(greedy.map((each) => each.report())).toEqual(greedy.map((_, nth) => nth > 0));
  expect(opened(5, () => follow('greedy', '10.2.0.1'))).toHaveLength(1);
});

test('An address with thousands of accounts has a share; what is refused counts nowhere', () => {
  const crowd = opened(3000, (nth) => follow(`one of many ${nth}`, '10.3.0.1'));
  expect(crowd).toHaveLength(ofAddress);
  // Refused just now, for the address alone.
  expect(opened(20, () => follow('one of many 2999', '10.3.0.2'))).toHaveLength(ofAccount);
});

test('The networks of one IPv6 customer have a share together; another customer has one', () => {
  const network = (customer: string, nth: number) => `2001:db8:${customer}:${nth.toString(16)}::/64`;
  const crowd = opened(6000, (nth) => follow(`customer ${nth}`, network('7', nth % 50)));
  expect(crowd.length).toBeLessThan(6000);
  expect(crowd).toHaveLength(ofAddress * 20);
  expect(follow('neighbour', network('8', 1))).not.toBe(false);
});
