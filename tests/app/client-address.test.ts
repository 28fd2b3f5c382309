import { expect, test } from 'vitest';
import { countedAddress, widerNetworkOf } from '#app/http/client-address.ts';
import { trustedProxiesOf } from '#platform/trusted-proxies.ts';

const behind = (forwardedFor: string | null) => countedAddress('10.0.0.1', forwardedFor, { hops: 1 });

test('Without a configured proxy, forwarding headers are ignored', () => {
  expect(countedAddress('203.0.113.7', '198.51.100.1', { hops: 0 })).toBe('203.0.113.7');
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

test.each([
  ['2', '1.1.1.1, 198.51.100.1, 203.0.113.9', '198.51.100.1'],
  ['2', '198.51.100.1', '198.51.100.1'],
  ['3', '1.1.1.1, 198.51.100.1', '1.1.1.1'],
  ['2', null, '10.0.0.1'],
  ['10.0.0.0/8', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['10.0.0.0/8,203.0.113.9', '1.1.1.1, 198.51.100.1, 203.0.113.9', '198.51.100.1'],
  ['10.0.0.0/8', '1.1.1.1, unknown', '10.0.0.1'],
  ['192.0.2.0/24', '1.1.1.1', '10.0.0.1'],
  ['10.0.0.0/8', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
])('With TRUST_PROXY=%s, of %s counts %s', (trusted, forwardedFor, counted) => {
  const proxies = trustedProxiesOf(trusted);
  expect(proxies && countedAddress('::ffff:10.0.0.1', forwardedFor, proxies)).toBe(counted);
});

test.each(['0.0.0.0/0', '::/0', 'yes', '11', '10.0.0.0/33', 'proxy.example', '10.0.0.1,', '-1', '1.5'])(
  'TRUST_PROXY cannot be %s',
  (text) => {
    expect(trustedProxiesOf(text)).toBe(null);
  },
);

test('All addresses of one IPv6 network count as one', () => {
  const network = '2001:db8:0:1::/64';
  expect(behind('2001:db8:0:1::5')).toBe(network);
  expect(behind('[2001:DB8:0:1:ffff:eeee:dddd:cccc]:443')).toBe(network);
  expect(behind('2001:db8::1:0:0:0:1')).toBe(network);
  expect(countedAddress('2001:db8:0:1::5%eth0', null, { hops: 0 })).toBe(network);
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
