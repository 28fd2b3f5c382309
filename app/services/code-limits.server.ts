import { isTotp } from '#domain/account/second-factor/prove-second-factor.ts';
import { reportGuessedCodes } from '#domain/account/second-factor/report-guessed-codes.ts';
import { domainNow } from './clock.server.ts';
import { database } from './database.server.ts';
import { clearLimit, here, longestWait, waitSeconds } from './rate-limits.server.ts';

/**
 * Counts one try of a second factor and returns the seconds to wait; 0 if it is accepted. A code of an app is short, so
 * tries for one account are limited wherever they come from, and its owner is mailed at the limit, once a day. A recovery
 * code is too long to guess: it lets the owner in even then.
 */
export async function waitBeforeCode(
  { userId, code }: { userId: string; code: string },
  clientAddress: string,
): Promise<number> {
  const wait = await longestWait({ codeByAddress: clientAddress, codeHere: here(userId, clientAddress) });
  if (wait > 0 || !isTotp(code)) return wait;
  const waitForAccount = await waitSeconds('codeByAccount', userId);
  if (waitForAccount > 0 && (await waitSeconds('guessedCodesMail', userId)) === 0)
    await reportGuessedCodes(await database(), { userId }, await domainNow());
  return waitForAccount;
}

/** Resets the tries of somebody who had the right code. */
export async function clearCodeLimits(userId: string, clientAddress: string): Promise<void> {
  await clearLimit('codeHere', here(userId, clientAddress));
  await clearLimit('codeByAccount', userId);
}
