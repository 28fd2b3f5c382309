import { hash, verify } from '@node-rs/argon2';

export const PASSWORD_MIN_LENGTH = 10;
/** Hashing time grows with length, so the length is limited to keep passwords from overloading the server. */
export const PASSWORD_MAX_LENGTH = 200;

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash of a discarded password, at the same cost. */
const nobodys =
  '$argon2id$v=19$m=19456,t=2,p=1$vQtKvIPC4PwfktgpgKd3aw$NdgsmJA6QsF8mvpgV3lbTQr2QpGCXFYLYsYLKGk9Fr4';

/** Unicode normalization: keyboards encode the same letter differently. */
const typed = (password: string): string => password.normalize('NFKC');

/** Hashes with argon2id in PHC form. Takes milliseconds of a thread: never call it inside a transaction. */
export const hashPassword = (password: string): Promise<string> => hash(typed(password), cost);

/** Whether the password is correct; takes the same time when there is no hash. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await verify(passwordHash ?? nobodys, typed(password));
  return passwordHash !== null && matches;
}
