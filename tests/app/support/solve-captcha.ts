import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { loader as challengeLoader } from '#app/routes/captcha/challenge.ts';

export type Challenge = Parameters<typeof solveChallenge>[0]['challenge'];

/** A payload as the captcha's widget puts it into its form. */
export const encode = (payload: object) => Buffer.from(JSON.stringify(payload)).toString('base64');

/** A new challenge from the site. */
export const askCaptcha = async () => (await (await challengeLoader()).json()) as Challenge;

/** Solves a challenge as a browser does; requests a new one if none is given. */
export async function solveCaptcha(asked?: Challenge): Promise<string> {
  const challenge = asked ?? (await askCaptcha());
  const solution = await solveChallenge({ challenge, deriveKey });
  return encode({ challenge, solution });
}
