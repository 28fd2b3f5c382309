import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import {
  clearLimit,
  here,
  longestWait,
  returnOne,
  waitSeconds,
} from '#app/services/limits/rate-limits.server.ts';
import { isTotp, type SecondFactorProof } from '#domain/identity/second-factor/prove-second-factor.ts';
import { reportGuessedCodes } from '#domain/identity/second-factor/report-guessed-codes.ts';

/** Too many attempts: none is accepted for this number of seconds. `account`: wherever codes of the app come from. */
export type TooManyAttempts = {
  ok: false;
  code: 'tooManyTries';
  waitSeconds: number;
  limit: 'here' | 'account';
};

const isGuessable = (proof: SecondFactorProof): boolean => 'code' in proof && isTotp(proof.code);

/**
 * Counts one attempt at a second factor; null if it is accepted. A code of an app is short, so attempts for one account are
 * limited wherever they come from, and its owner is mailed at the limit, once a day. A recovery code is too long to guess,
 * and a signature cannot be guessed: they let the owner in even then.
 */
export async function countProof(
  { userId, proof }: { userId: string; proof: SecondFactorProof },
  clientAddress: string,
): Promise<TooManyAttempts | null> {
  const wait = await longestWait({ codeByAddress: clientAddress, codeHere: here(userId, clientAddress) });
  if (wait > 0) return { ok: false, code: 'tooManyTries', waitSeconds: wait, limit: 'here' };
  if (!isGuessable(proof)) return null;
  const waitForAccount = await waitSeconds('codeByAccount', userId);
  if (waitForAccount === 0) return null;
  if ((await waitSeconds('guessedCodesMail', userId)) === 0)
    await reportGuessedCodes(await database(), { userId }, await domainNow());
  return { ok: false, code: 'tooManyTries', waitSeconds: waitForAccount, limit: 'account' };
}

/** Resets the attempts from here of somebody who proved it. Those of others for the same account still count. */
export async function clearProofLimits(
  { userId, proof }: { userId: string; proof: SecondFactorProof },
  clientAddress: string,
): Promise<void> {
  await clearLimit('codeHere', here(userId, clientAddress));
  if (isGuessable(proof)) await returnOne('codeByAccount', userId);
}
