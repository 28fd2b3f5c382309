import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

// Addresses that are nobody's on the internet (RFC 6890 and its registries): a stranger's address must not lead a request
// of ours into the network around this machine.
const inner = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  inner.addSubnet(net, bits, 'ipv4');
/** All of IPv6 that is not global unicast, and the parts of that which carry an IPv4 address or document. */
const outer = new BlockList();
outer.addSubnet('2000::', 3, 'ipv6');
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  inner.addSubnet(net, bits, 'ipv6');

/** The prefix of gateways that carry IPv4 (RFC 6052), by which a network of IPv6 alone names all of it. */
const gateways = new BlockList();
gateways.addSubnet('64:ff9b::', 96, 'ipv6');

/** The IPv4 address in the last 32 bits of one of IPv6, which the URL parser writes in its one form. */
function carriedIn(address: string): string {
  const groups = new URL(`https://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  return groups
    .map((group) => Number.parseInt(group || '0', 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join('.');
}

/** Returns whether an IP address belongs to somebody on the internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !inner.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  if (gateways.check(address, 'ipv6')) return isPublicAddress(carriedIn(address));
  return outer.check(address, 'ipv6') && !inner.check(address, 'ipv6');
}

/** A name, or the address written in a URL, leads to the network around this machine. */
export class InnerAddress extends Error {}

/** The public ones among the addresses that a name server answered with. */
export const publicOf = (found: readonly LookupAddress[]): LookupAddress[] =>
  found.flatMap(({ address, family }) => (isPublicAddress(address) ? [{ address, family }] : []));

/**
 * Looks a name up for a connection, which goes to the public ones among its addresses; fails with `InnerAddress` if it has
 * none. The connection goes to what was checked: a second look-up could be answered otherwise.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, '', 0);
    const addresses = publicOf(found);
    const [first] = addresses;
    if (!first) return callback(new InnerAddress(`${hostname} leads to inner addresses alone`), '', 0);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** Returns whether the host of a URL is an IP address that may not be called; names are checked when they are looked up. */
export function isInnerHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) !== 0 && !isPublicAddress(bare);
}
