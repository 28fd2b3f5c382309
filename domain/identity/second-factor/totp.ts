import { Secret, TOTP } from 'otpauth';
import { second } from '#domain/kernel/time.ts';

// What every app supports (RFC 6238): SHA-1, six digits, 30 seconds, a secret of 160 bits.
const STEP_MS = 30 * second;
const SECRET_BYTES = 20;
/** A clock may be wrong by this many steps. */
const TOLERATED_STEPS = 1;

const totpOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: STEP_MS / second });

/** A new secret in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The code that an app shows at this moment. System time. */
export const totpAt = (secret: string, systemMs: number): string =>
  totpOf(secret).generate({ timestamp: systemMs });

/**
 * The step whose code this is, within a step before or after this moment; null if it is none of these. System time,
 * because apps go by the real clock.
 */
export function stepOfTotp(secret: string, code: string, systemMs: number): number | null {
  // The library throws on a code of another length in bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: systemMs, window: TOLERATED_STEPS });
  return delta === null ? null : Math.floor(systemMs / STEP_MS) + delta;
}

/** What an app reads from a QR code: the secret, and under which names to show it. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const query = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  // Apps read a plus sign as itself, not as a space.
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?${query.toString().replaceAll('+', '%20')}`;
}
