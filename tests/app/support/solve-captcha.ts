import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { loader as challengeLoader } from '#app/routes/captcha/challenge.ts';

export type Challenge = Parameters<typeof solveChallenge>[0]['challenge'];

/** A payload as the captcha's widget writes it into its form. */
export const encode = (payload: object) => Buffer.from(JSON.stringify(payload)).toString('base64');

/** A new question of the site. */
export const askCaptcha = async () => (await (await challengeLoader()).json()) as Challenge;

/** What a browser computes for a question; without one, for a new one. */
export async function solveCaptcha(asked?: Challenge): Promise<string> {
  const challenge = asked ?? (await askCaptcha());
  const solution = await solveChallenge({ challenge, deriveKey });
  return encode({ challenge, solution });
}
