import { isIP } from 'node:net';
import { type TrustedProxies, visitorAddress } from '#platform/trusted-proxies.ts';

/** The network address that rate limits count by. For an IPv6 address only the network (/64) counts, which belongs to one household or machine. */
export const countedAddress = (
  socketAddress: string,
  forwardedFor: string | null,
  trusted: TrustedProxies,
): string => networkOf(visitorAddress(socketAddress, forwardedFor, trusted));

function networkOf(address: string): string {
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
