import { createHmac } from 'node:crypto';
import { config, type WebConfiguration } from '#app/config.server.ts';
import type { SolvedCaptcha } from '#domain/account/access/consume-captcha.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { createAltcha } from './altcha.server.ts';
import type { CaptchaProvider } from './captcha-provider.ts';
import { createTurnstile } from './turnstile.server.ts';

type Settings = Pick<WebConfiguration, 'captcha' | 'sessionSecret'>;

function choose({ captcha, sessionSecret }: Settings): CaptchaProvider {
  if (captcha.provider === 'turnstile') return createTurnstile(captcha);
  // A secret of its own: what signs the questions must not sign anything else.
  const secret = createHmac('sha256', sessionSecret).update('captcha').digest('hex');
  return createAltcha({ secret, now: Date.now });
}

let chosen: CaptchaProvider | null = null;

/** The provider that the configuration names. */
export function captcha(): CaptchaProvider {
  chosen ??= choose(config());
  return chosen;
}

/** The form fields of a captcha: the answer, or the word of a browser without JavaScript that it cannot have one. */
export const captchaFields = { answer: 'captcha', plain: 'without_script' } as const;

/**
 * Reads the captcha of a form. `plain` means that the browser runs no JavaScript: it is let through without an answer,
 * and the caller holds it to stricter limits. The solution is spent in the transaction of the act that it admits.
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
