import { BlockList, isIP, isIPv4 } from 'node:net';

/** The proxies in front of the web process: their number, or the networks that they are in. */
export type TrustedProxies = { hops: number } | { networks: BlockList };

const MAX_HOPS = 10;

/** Reads TRUST_PROXY: `true` is one proxy, `false` none. Returns null if it is not readable. */
export function trustedProxiesOf(text: string): TrustedProxies | null {
  if (text === 'true' || text === 'false') return { hops: text === 'true' ? 1 : 0 };
  if (/^\d+$/.test(text)) return Number(text) <= MAX_HOPS ? { hops: Number(text) } : null;
  const networks = new BlockList();
  return text.split(',').every((each) => addNetwork(networks, each.trim())) ? { networks } : null;
}

/** Adds an address or a network such as `10.0.0.0/8`. Returns false if it is neither, or the whole internet. */
function addNetwork(networks: BlockList, text: string): boolean {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  // Everybody would be a proxy, and could name any address as their own.
  if (family === 0 || prefix === 0 || prefix > longest) return false;
  networks.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

/** Returns whether an address that a proxy wrote may count. */
export const trustsProxy = (trusted: TrustedProxies): boolean => !('hops' in trusted) || trusted.hops > 0;

/** Removes port, brackets and zone, and the prefix of an IPv4 address: `[2001:db8::1%eth0]:443` becomes `2001:db8::1`. */
export function bareAddress(address: string): string {
  const trimmed = address.trim();
  const inBrackets = /^\[([^\]]+)\]/.exec(trimmed)?.[1];
  const alone = inBrackets ?? (/^[\d.]+:\d+$/.test(trimmed) ? trimmed.replace(/:\d+$/, '') : trimmed);
  const [bare = ''] = alone.split('%', 1);
  const mapped = /^::ffff:([\d.]+)$/i.exec(bare)?.[1];
  return mapped && isIPv4(mapped) ? mapped : bare;
}

/**
 * The visitor's address. Each proxy adds at the end of X-Forwarded-For the address that it was asked from, so with a number
 * of proxies it is that many from the end, and with networks the last one that is not in them. Everything before it, and
 * `Forwarded`, came with the request and may be forged. Where the header has no address there, the socket's counts.
 */
export function visitorAddress(
  socketAddress: string,
  forwardedFor: string | null,
  trusted: TrustedProxies,
): string {
  const socket = bareAddress(socketAddress);
  const listed = (forwardedFor ?? '').split(',').map(bareAddress);
  if ('hops' in trusted) {
    const found = trusted.hops === 0 ? '' : (listed.at(-trusted.hops) ?? listed[0] ?? '');
    return isIP(found) ? found : socket;
  }
  let visitor = socket;
  for (const address of listed.toReversed()) {
    if (!isIn(trusted.networks, visitor) || !isIP(address)) break;
    visitor = address;
  }
  return visitor;
}

const isIn = (networks: BlockList, address: string): boolean =>
  isIP(address) !== 0 && networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
