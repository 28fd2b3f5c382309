import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import {
  InnerAddress,
  isInnerHost,
  isPublicAddress,
  publicLookup,
  publicOf,
} from '#platform/public-address.ts';

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::a00:1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::8.8.8.8',
  'fc00::1',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '2002:a00:1::',
  'push.example',
  '',
])('%s is nobody’s on the internet', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  '1.1.1.1',
  '142.250.74.78',
  '172.32.0.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '64:ff9b::8.8.8.8',
  '64:ff9b::101:0',
])('%s is somebody’s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('The host of an address is refused before anything is looked up, a name when it is', async () => {
  const hosts = [
    'https://[::1]/',
    'https://0x7f.1/',
    'https://10.0.0.1/',
    'https://1.1.1.1/',
    'https://push.example/',
  ];
  expect(hosts.map((url) => isInnerHost(new URL(url).hostname))).toEqual([true, true, true, false, false]);
  const resolve = promisify(publicLookup) as (name: string, options: object) => Promise<unknown>;
  await expect(resolve('localhost', {})).rejects.toBeInstanceOf(InnerAddress);
  await expect(resolve('localhost', { all: true })).rejects.toBeInstanceOf(InnerAddress);
});

test('A connection goes to the public ones among the addresses of a name', () => {
  const inner = { address: '10.0.0.1', family: 4 };
  const [first, second] = [
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700:4700::1111', family: 6 },
  ];
  expect(publicOf([inner, first, { address: '::1', family: 6 }, second])).toEqual([first, second]);
  expect(publicOf([inner])).toEqual([]);
});
