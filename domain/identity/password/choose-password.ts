import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hashPassword } from './hash-password.ts';
import { typed } from './password.ts';

/** The owner of a new password, and the host name of the site that it is for. */
export interface PasswordOwner {
  email: string;
  name: string;
  site: string;
}

export type WeakPasswordCode = AccountCodeOf<'passwordCommon' | 'passwordPersonal'>;

/**
 * Checks and hashes a new password; every way to set one goes through here. Refuses passwords that attackers
 * try first: common ones and simple patterns (`passwordCommon`), and those made of what is known about their
 * owner (`passwordPersonal`). There are no rules about which characters it contains (NIST SP 800-63B).
 */
export async function choosePassword(
  password: string,
  owner: PasswordOwner,
): Promise<Outcome<{ passwordHash: string }, WeakPasswordCode>> {
  const weakness = await weaknessOf(typed(password), owner);
  return weakness ? refuse(weakness) : done({ passwordHash: await hashPassword(password) });
}

/**
 * A password that takes fewer guesses falls to an attacker who has its hash. This is the third of the
 * package's own four levels.
 */
const ENOUGH_GUESSES = 1e8;
/**
 * Estimating takes time that grows with the square of the length, so only this much of a longer password is
 * read, and has to be good enough alone.
 */
const READ_LENGTH = 64;

async function weaknessOf(password: string, owner: PasswordOwner): Promise<WeakPasswordCode | null> {
  estimator ??= loadEstimator();
  const { check } = await estimator;
  const words = knownWords(owner);
  if (isMadeOf(password, words)) return 'passwordPersonal';
  for (const written of new Set([password, onLatinKeys(password)])) {
    const { guesses, sequence } = check(written, words);
    if (guesses >= ENOUGH_GUESSES) continue;
    const isPersonal = sequence.some(
      (part) => 'dictionaryName' in part && part.dictionaryName === 'userInputs',
    );
    return isPersonal ? 'passwordPersonal' : 'passwordCommon';
  }
  return null;
}

// The lists take 20 MB, so they are loaded when the first password is chosen.
let estimator: ReturnType<typeof loadEstimator> | null = null;

async function loadEstimator() {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core');
  const { dictionary, adjacencyGraphs: graphs } = await import('@zxcvbn-ts/language-common');
  // The default of 100 substitutions (`pa$$word`) takes three times as long and finds nothing more in such lengths.
  const options = { dictionary, graphs, maxLength: READ_LENGTH, l33tMaxSubstitutions: 8 };
  const factory = new ZxcvbnFactory(options);
  return { check: (password: string, words: string[]) => factory.check(password, words) };
}

/** Shorter words occur inside too many other words. */
const MIN_WORD_LENGTH = 3;

/**
 * Words that anybody can know about the owner: the address, the name, and the names of the product and the
 * site, whole and in parts.
 */
function knownWords({ email, name, site }: PasswordOwner): string[] {
  const address = emailAddress(email);
  const wholes = [address, ...address.split('@'), name, 'Keepsake', site];
  const parts = wholes.flatMap((whole) => whole.split(/[^\p{L}\p{N}]+/u));
  return [...new Set([...wholes, ...parts])]
    .filter((word) => word.length >= MIN_WORD_LENGTH)
    .map((word) => typed(word).toLowerCase().slice(0, READ_LENGTH));
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/**
 * Returns whether little is left of a password once these words are taken out, however often they occur and
 * whatever stands between them.
 */
function isMadeOf(password: string, words: readonly string[]): boolean {
  const longestFirst = words.map(lettersOf).sort((one, other) => other.length - one.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ''), lettersOf(password));
  return rest.length < MIN_WORD_LENGTH && lettersOf(password).length > rest.length;
}

const cyrillicKeys = 'ёйцукенгшщзхъфывапролджэячсмитьбю';
const latinKeys = "`qwertyuiop[]asdfghjkl;'zxcvbnm,.";

/**
 * Converts Cyrillic letters to those on the same keys of a Latin layout. The word lists contain `gfhjkm` for
 * `пароль`, and the patterns of neighbouring keys are those of Latin layouts.
 */
const onLatinKeys = (password: string): string =>
  password.toLowerCase().replaceAll(/[а-яё]/g, (letter) => latinKeys[cyrillicKeys.indexOf(letter)] ?? letter);
