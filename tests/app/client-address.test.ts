import { expect, test } from 'vitest';
import { countedAddress, widerNetworkOf } from '#app/http/client-address.ts';

const behind = (forwardedFor: string | null) => countedAddress('10.0.0.1', forwardedFor, true);

test('Without a configured proxy, forwarding headers are ignored', () => {
  expect(countedAddress('203.0.113.7', '198.51.100.1', false)).toBe('203.0.113.7');
});

test.each([
  ['one address', '198.51.100.1', '198.51.100.1'],
  ['a forged address before the one our proxy added', '1.1.1.1, 2.2.2.2,198.51.100.1', '198.51.100.1'],
  ['an address with a port', '198.51.100.1:4711', '198.51.100.1'],
  ['an IPv4 address mapped to IPv6', '::ffff:198.51.100.1', '198.51.100.1'],
  ['no address', 'unknown', '10.0.0.1'],
  ['an empty one', '', '10.0.0.1'],
  ['none at all', null, '10.0.0.1'],
])('Behind a proxy, %s', (_, forwardedFor, counted) => {
  expect(behind(forwardedFor)).toBe(counted);
});

test('All addresses of one IPv6 network count as one', () => {
  const network = '2001:db8:0:1::/64';
  expect(behind('2001:db8:0:1::5')).toBe(network);
  expect(behind('[2001:DB8:0:1:ffff:eeee:dddd:cccc]:443')).toBe(network);
  expect(behind('2001:db8::1:0:0:0:1')).toBe(network);
  expect(countedAddress('2001:db8:0:1::5%eth0', null, false)).toBe(network);
  expect(behind('2001:db8:0:2::5')).not.toBe(network);
  expect(behind('::1')).toBe('0:0:0:0::/64');
});

test.each([
  ['2001:db8:0:1::/64', '2001:db8:0::/48'],
  ['somebody@example.org 2001:db8:0:1::/64', 'somebody@example.org 2001:db8:0::/48'],
  ['203.0.113.7', null],
  ['somebody@example.org', null],
])('Around %s is %s', (counted, wider) => {
  expect(widerNetworkOf(counted)).toBe(wider);
});
