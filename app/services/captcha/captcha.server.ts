import { createHmac } from 'node:crypto';
import { config, type WebConfiguration } from '#app/config.server.ts';
import type { SolvedCaptcha } from '#domain/identity/access/consume-captcha.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { createAltcha } from './altcha.server.ts';
import type { CaptchaProvider } from './captcha-provider.ts';
import { createTurnstile } from './turnstile.server.ts';

type Settings = Pick<WebConfiguration, 'captcha' | 'sessionSecret'>;

function choose({ captcha, sessionSecret }: Settings): CaptchaProvider {
  if (captcha.provider === 'turnstile') return createTurnstile(captcha);
  // A separate secret: the key that signs challenges must sign nothing else.
  const secret = createHmac('sha256', sessionSecret).update('captcha').digest('hex');
  return createAltcha({ secret, now: Date.now });
}

let chosen: CaptchaProvider | null = null;

/** The configured provider. */
export function captcha(): CaptchaProvider {
  chosen ??= choose(config());
  return chosen;
}

/** The captcha's form fields: the solution, or the flag of a browser without JavaScript. */
export const captchaFields = { answer: 'captcha', plain: 'without_script' } as const;

/**
 * Reads a form's captcha. `plain` means that the browser runs no JavaScript: it passes without a solution, under
 * stricter limits that the caller applies. The solution is marked as used in the transaction of the action that it
 * allows.
 */
export async function readCaptcha(
  form: FormData,
): Promise<Outcome<{ solved: SolvedCaptcha | null; plain: boolean }, 'captchaInvalid'>> {
  const answer = form.get(captchaFields.answer);
  if (typeof answer === 'string' && answer !== '') {
    const solved = await captcha().check(answer);
    return solved ? done({ solved, plain: false }) : refuse('captchaInvalid');
  }
  if (form.get(captchaFields.plain) === 'on') return done({ solved: null, plain: true });
  return refuse('captchaInvalid');
}
