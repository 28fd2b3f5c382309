import type { Database } from '#db/database.ts';
import { removeSecondFactor } from '#domain/identity/second-factor/remove-second-factor.ts';

interface Context {
  db: Database;
  /** Domain time. */
  nowMs: number;
  print(line: string): void;
}

const usage =
  'Usage: remove-second-factor EMAIL\nMake sure first that whoever asks is the owner of the account: with the second factor goes what protects their items.';

const refusals = {
  userUnknown: 'Refused: no account has this address.',
  secondFactorOff: 'Refused: this account has no second factor.',
} as const;

/** Removes the second factor of somebody who is locked out. Returns whether it did. */
export async function runRemoveSecondFactor(
  args: readonly string[],
  { db, nowMs, print }: Context,
): Promise<boolean> {
  const [email, ...others] = args;
  if (!email?.includes('@') || others.length > 0) {
    print(usage);
    return false;
  }
  const outcome = await removeSecondFactor(db, { email }, nowMs);
  if (!outcome.ok) {
    print(refusals[outcome.code]);
    return false;
  }
  print(
    `The second factor of ${email} (user ${outcome.userId}) is removed, every browser is signed out, and`,
  );
  print(
    'an email says so. They sign in with their password or Twitch, and set up a new one in their profile.',
  );
  return true;
}
