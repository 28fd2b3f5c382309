import { Secret, TOTP } from 'otpauth';
import { second } from '#domain/kernel/time.ts';

// The parameters that every app supports (RFC 6238): SHA-1, six digits, 30 seconds, a secret of 160 bits.
const STEP_MS = 30 * second;
const SECRET_BYTES = 20;
/** The device's clock may be wrong by this many steps. */
const TOLERATED_STEPS = 1;

const totpOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: STEP_MS / second });

/** A new secret in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Returns the code that an app shows at this system time. */
export const totpAt = (secret: string, systemMs: number): string =>
  totpOf(secret).generate({ timestamp: systemMs });

/**
 * Returns the step that a code belongs to, at most one step before or after this moment; null if there is
 * none. System time, because apps use the real clock.
 */
export function stepOfTotp(secret: string, code: string, systemMs: number): number | null {
  // The library throws on a code of another length in bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: systemMs, window: TOLERATED_STEPS });
  return delta === null ? null : Math.floor(systemMs / STEP_MS) + delta;
}

/** Formats the address that an app reads from a QR code: the secret, and the names to show it under. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const query = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  // Apps read a plus sign as itself, not as a space.
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?${query.toString().replaceAll('+', '%20')}`;
}
