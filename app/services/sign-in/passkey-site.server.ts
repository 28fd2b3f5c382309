import { isIP } from 'node:net';
import { config } from '#app/config.server.ts';
import type { PasskeySite } from '#domain/identity/second-factor/passkeys/passkey-answer.ts';

/**
 * This site as passkeys know it: by the domain of its public address, so they end when that changes. Null where browsers
 * have none: at a network address, and without https anywhere but on this machine.
 */
export const passkeySite = (): PasskeySite | null => passkeySiteAt(config().publicUrl);

/** Returns the site for a public address. */
export function passkeySiteAt(publicUrl: URL): PasskeySite | null {
  const { hostname, origin } = publicUrl;
  if (
    isIP(hostname.replaceAll(/[[\]]/g, '')) > 0 ||
    !(publicUrl.protocol === 'https:' || hostname === 'localhost')
  )
    return null;
  return { origin, rpId: hostname, name: 'Keepsake' };
}
