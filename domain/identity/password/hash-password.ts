import { hash } from '@node-rs/argon2';
import { typed } from './password.ts';

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashes with argon2id in PHC form. Takes milliseconds of a thread: never call it inside a transaction. A
 * password that somebody chooses goes through `choosePassword`.
 */
export const hashPassword = (password: string): Promise<string> => hash(typed(password), cost);
