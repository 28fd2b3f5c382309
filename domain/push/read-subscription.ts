import { ECDH } from 'node:crypto';

/** A browser's subscription as its push manager gives it. */
export interface PushSubscription {
  endpoint: string;
  /** The browser's public key, an uncompressed point of P-256, in base64url. */
  p256dh: string;
  /** 16 random bytes of the browser, in base64url. */
  auth: string;
}

const MAX_ENDPOINT_LENGTH = 1024;
const base64url = (bytes: number) => (text: string) =>
  /^[\w-]+={0,2}$/.test(text) && Buffer.from(text, 'base64url').length === bytes;
const isSecret = base64url(16);

/** Browsers use no other form than the uncompressed one. Nothing can be encrypted for a point that is not on the curve. */
function isPoint(text: string): boolean {
  if (!base64url(65)(text) || Buffer.from(text, 'base64url')[0] !== 4) return false;
  try {
    ECDH.convertKey(Buffer.from(text, 'base64url'), 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

/** Reads a subscription that somebody sent; null if it cannot be one. Whether its address may be called is decided when it is. */
export function readSubscription(given: Record<keyof PushSubscription, unknown>): PushSubscription | null {
  const { endpoint, p256dh, auth } = given;
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string') return null;
  if (endpoint.length > MAX_ENDPOINT_LENGTH || !URL.canParse(endpoint)) return null;
  const { protocol, username, password } = new URL(endpoint);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return null;
  if (!isPoint(p256dh) || !isSecret(auth)) return null;
  return { endpoint, p256dh, auth };
}

/** Host and port of an endpoint. */
export const hostOf = ({ endpoint }: Pick<PushSubscription, 'endpoint'>): string => new URL(endpoint).host;
