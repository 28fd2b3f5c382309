import { hash, verify } from '@node-rs/argon2';

export const PASSWORD_MIN_LENGTH = 10;
/** Hashing costs time in proportion, so that a password cannot be a way to keep the server busy. */
export const PASSWORD_MAX_LENGTH = 200;

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash under the same cost whose password was thrown away. */
const nobodys =
  '$argon2id$v=19$m=19456,t=2,p=1$vQtKvIPC4PwfktgpgKd3aw$NdgsmJA6QsF8mvpgV3lbTQr2QpGCXFYLYsYLKGk9Fr4';

/** Keyboards write the same letter in different ways. */
const typed = (password: string): string => password.normalize('NFKC');

/** argon2id in PHC form. It takes milliseconds of a thread: never call it inside a transaction. */
export const hashPassword = (password: string): Promise<string> => hash(typed(password), cost);

/** Whether the password is right; takes the same time when there is no hash to compare with. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await verify(passwordHash ?? nobodys, typed(password));
  return passwordHash !== null && matches;
}
