import { isIP, isIPv4 } from 'node:net';

/**
 * The network address that rate limits count by. Behind our proxy it is the last address in X-Forwarded-For,
 * which the proxy added itself: everything before it, and `Forwarded`, came with the request and may be
 * forged. For an IPv6 address only the network (/64) counts, which belongs to one household or machine.
 */
export function countedAddress(
  socketAddress: string,
  forwardedFor: string | null,
  trustProxy: boolean,
): string {
  const forwarded = trustProxy ? bare(forwardedFor?.split(',').at(-1) ?? '') : '';
  return networkOf(isIP(forwarded) ? forwarded : bare(socketAddress));
}

/** Removes port, brackets and zone: `[2001:db8::1%eth0]:443` becomes `2001:db8::1`. */
function bare(address: string): string {
  const trimmed = address.trim();
  const inBrackets = /^\[([^\]]+)\]/.exec(trimmed)?.[1];
  const alone = inBrackets ?? (/^[\d.]+:\d+$/.test(trimmed) ? trimmed.replace(/:\d+$/, '') : trimmed);
  return alone.split('%', 1)[0] ?? '';
}

function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped && isIPv4(mapped)) return mapped;
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter(Boolean);
  const after = tail?.split(':').filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** A counted address, or a text that ends with one, with the /48 network of an IPv6 address in its place; null without. */
export function widerNetworkOf(counted: string): string | null {
  const wider = counted.replace(/:[0-9a-f]+::\/64$/, '::/48');
  return wider === counted ? null : wider;
}
