import { verify } from '@node-rs/argon2';

export const PASSWORD_MIN_LENGTH = 10;
/** Hashing time grows with length, so the length is limited to keep passwords from overloading the server. */
export const PASSWORD_MAX_LENGTH = 200;

/** The hash of a discarded password, at the cost of all others, for accounts that have none. */
const nobodys =
  '$argon2id$v=19$m=19456,t=2,p=1$vQtKvIPC4PwfktgpgKd3aw$NdgsmJA6QsF8mvpgV3lbTQr2QpGCXFYLYsYLKGk9Fr4';

/** Unicode normalization: keyboards encode the same letter differently. */
export const typed = (password: string): string => password.normalize('NFKC');

/** Checks a password in constant time, also when there is no hash to compare it with. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await verify(passwordHash ?? nobodys, typed(password));
  return passwordHash !== null && matches;
}
