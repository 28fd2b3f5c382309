import { clearLimit, here, longestWait, waitSeconds } from '#app/services/limits/rate-limits.server.ts';

/** The account whose password is tried, and the network address that tries. */
export interface Place {
  account: string;
  address: string;
}

const limitsOf = {
  /** At the door, where anybody may guess. */
  signIn: { here: 'signInHere', byAccount: 'signInByAccount', whileGuessed: 'signInWhileGuessed' },
  /** Within a session, or by an API token, where a thief may. */
  confirm: { here: 'passwordHere', byAccount: 'passwordByAccount', whileGuessed: 'passwordWhileGuessed' },
} as const;
type Asked = keyof typeof limitsOf;

/**
 * Counts one attempt at a password and returns the seconds to wait; 0 if it may be checked. Attempts
 * elsewhere never keep the owner out: while there are many, each network address has fewer for this account,
 * but a fresh one always has some. Refused attempts add nothing to an account that has reached its limit.
 */
export async function countPassword(asked: Asked, { account, address }: Place): Promise<number> {
  const limits = limitsOf[asked];
  const place = here(account, address);
  const wait = await longestWait({
    ...(asked === 'signIn' && { signInByAddress: address }),
    [limits.here]: place,
  });
  if (wait > 0) return wait;
  if ((await waitSeconds(limits.byAccount, account)) === 0) return 0;
  return waitSeconds(limits.whileGuessed, place);
}

/** Resets the attempts of somebody who proved to be an account's owner, from their network address. */
export async function clearPasswordLimits(asked: Asked, { account, address }: Place): Promise<void> {
  const limits = limitsOf[asked];
  for (const act of [limits.here, limits.whileGuessed]) await clearLimit(act, here(account, address));
}
