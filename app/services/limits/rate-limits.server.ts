import { createHmac } from 'node:crypto';
import { config } from '#app/config.server.ts';
import { widerNetworkOf } from '#app/http/client-address.ts';
import { database } from '#app/services/database.server.ts';
import { clearAttempts, countAttempt, returnAttempts } from '#domain/identity/access/attempts.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';

const limit = (max: number, windowMs: number) => ({ max, windowMs });

// Counted in the database: for all processes, and across restarts. Addresses get higher limits than accounts, because
// households share one; and the networks (/64) of one IPv6 customer (/48) together get `NETWORKS_TOGETHER` times as many.
// Without JavaScript there is no captcha, so all limits are lower.
const limits = {
  signInByAddress: limit(60, 15 * minute),
  // Not by account alone, because somebody who guesses elsewhere would keep the owner out.
  signInHere: limit(10, 15 * minute),
  // Guesses from many addresses only lower what each address may still try.
  signInByAccount: limit(100, hour),
  signInWhileGuessed: limit(2, hour),
  // For a browser that signed in before, even behind the address of somebody who guesses.
  signInByDevice: limit(10, 15 * minute),
  codeByAddress: limit(60, 15 * minute),
  codeHere: limit(10, 15 * minute),
  // A code of an app is right by chance three times in a million.
  codeByAccount: limit(30, day),
  guessedCodesMail: limit(1, day),
  passwordHere: limit(10, 15 * minute),
  passwordByAccount: limit(60, hour),
  passwordWhileGuessed: limit(2, hour),
  signUpByAddress: limit(60, hour),
  signUpPlainByAddress: limit(5, hour),
  signUpPlain: limit(200, hour),
  resendByAccount: limit(5, 10 * minute),
  resendByAddress: limit(30, hour),
  // The address may be somebody's who never signed up.
  resendInADay: limit(10, day),
  resetByAccount: limit(5, hour),
  resetByAddress: limit(30, hour),
  newPasswordByAddress: limit(30, hour),
  // Not by account alone: the right link cannot be guessed, and somebody who sends wrong ones would keep its
  // owner out.
  newPasswordHere: limit(10, hour),
  disownByAddress: limit(30, hour),
  changeEmailByAccount: limit(5, hour),
  changeEmailInADay: limit(10, day),
  extensionCodeByAccount: limit(10, 10 * minute),
  extensionCodeByAddress: limit(30, 10 * minute),
  accessByAddress: limit(30, 10 * minute),
  userCodeByAccount: limit(20, 10 * minute),
  userCodeByAddress: limit(60, 10 * minute),
  exportByAccount: limit(10, hour),
  dryRunByAccount: limit(120, 10 * minute),
  proofByAddress: limit(120, 10 * minute),
  pictureByAddress: limit(300, 10 * minute),
  dockByAccount: limit(120, 10 * minute),
  contactByAccount: limit(5, hour),
  contactByAddress: limit(15, hour),
  contactPlainByAddress: limit(2, hour),
  contactPlainByMailbox: limit(3, day),
  contactPlain: limit(50, hour),
};
export type LimitedAct = keyof typeof limits;
/** The key of a limit for one account from one network address. */
export const here = (account: string, address: string): string => `${account} ${address}`;
/** The key of a limit that everyone shares. */
export const everyone = 'everyone';

/** Addresses are not stored: a keyed hash is enough for counting. */
export const keyOf = (act: LimitedAct | 'call' | 'stream', who: string): string => {
  const hash = createHmac('sha256', config().sessionSecret).update(`tries:${who}`).digest('base64url');
  return `${act}:${hash}`;
};

/** A customer with a /48 has 65,536 networks; behind others are many customers, with one network each. */
export const NETWORKS_TOGETHER = 20;

/** Counts one attempt and returns the seconds to wait; 0 if this one is accepted. */
export async function waitSeconds(act: LimitedAct, who: string): Promise<number> {
  const { max: maxHere, windowMs } = limits[act];
  const count = async (key: string, max: number): Promise<number> => {
    const limit = { key: keyOf(act, key), max, windowMs };
    const { waitMs } = await countAttempt(await database(), limit, Date.now());
    return Math.ceil(waitMs / second);
  };
  const wait = await count(who, maxHere);
  const wider = widerNetworkOf(who);
  return wait > 0 || wider === null ? wait : count(wider, maxHere * NETWORKS_TOGETHER);
}

/** Counts one attempt under each of several limits and returns the longest wait. */
export async function longestWait(acts: Partial<Record<LimitedAct, string>>): Promise<number> {
  let longest = 0;
  for (const [act, who] of Object.entries(acts))
    longest = Math.max(longest, await waitSeconds(act as LimitedAct, who));
  return longest;
}

/** Takes back one counted attempt that was right, or did nothing. */
export async function returnOne(act: LimitedAct, who: string): Promise<void> {
  const wider = widerNetworkOf(who);
  for (const key of wider === null ? [who] : [who, wider])
    await returnAttempts(await database(), { key: keyOf(act, key), count: 1 });
}

/**
 * Resets the attempts of someone who signed in. The wider network gets back only what this one had used of
 * its limit; attempts from its other networks may be a stranger's, and still count.
 */
export async function clearLimit(act: LimitedAct, who: string): Promise<void> {
  const db = await database();
  const { count } = await clearAttempts(db, { key: keyOf(act, who) }, Date.now());
  const wider = widerNetworkOf(who);
  if (wider === null || count === 0) return;
  await returnAttempts(db, { key: keyOf(act, wider), count: Math.min(count, limits[act].max) });
}
