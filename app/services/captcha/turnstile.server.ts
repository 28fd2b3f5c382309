import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { processLog } from '#app/http/logger.server.ts';
import { readBoundedJson } from '#app/services/sign-in/bounded-answer.ts';
import { minute } from '#domain/kernel/time.ts';
import type { CaptchaProvider } from './captcha-provider.ts';

const turnstileOrigin = 'https://challenges.cloudflare.com';
const siteVerify = new URL('/turnstile/v0/siteverify', turnstileOrigin);
const deadlineMs = 5_000;
const maxAttempts = 2;
/** Cloudflare accepts a token for five minutes. */
const lifetimeMs = 5 * minute;

const AnswerSchema = z.object({ success: z.boolean() });

/**
 * Cloudflare Turnstile. Each token is verified with its own idempotency key, so that a repeated request gets the same
 * answer.
 */
export function createTurnstile(options: {
  siteKey: string;
  secret: string;
  verifyUrl?: URL;
}): CaptchaProvider {
  const { siteKey, secret, verifyUrl = siteVerify } = options;
  return {
    widget: { provider: 'turnstile', siteKey },
    origins: [turnstileOrigin],
    async check(answer) {
      if (answer.length > 2048) return null;
      const hash = createHash('sha256').update(answer).digest('hex');
      const body = new URLSearchParams({ secret, response: answer, idempotency_key: uuidOf(hash) });
      const success = await ask(verifyUrl, body);
      return success ? { solutionHash: `turnstile:${hash}`, expiresAtMs: Date.now() + lifetimeMs } : null;
    },
  };
}

const uuidOf = (hex: string): string =>
  hex.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');

/**
 * Returns whether Cloudflare accepts the token. If it does not answer, the form is refused: otherwise an
 * outage would bypass the captcha.
 */
async function ask(url: URL, body: URLSearchParams): Promise<boolean> {
  for (let tried = 1; ; tried++) {
    try {
      const signal = AbortSignal.timeout(deadlineMs);
      const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal });
      if (response.status >= 500) throw new Error(`siteverify answered ${response.status}`);
      const parsed = AnswerSchema.safeParse(await readBoundedJson(response));
      return parsed.success && parsed.data.success;
    } catch (error) {
      if (tried === maxAttempts) {
        processLog.error({ err: error }, 'the captcha provider did not answer');
        return false;
      }
      await delay(200 * (0.5 + Math.random()));
    }
  }
}
