import type { SolvedCaptcha } from '#domain/account/access/consume-captcha.ts';

/** Who asks visitors to prove themselves. One is chosen by the configuration. */
export interface CaptchaProvider {
  /** What a page needs to draw it. */
  readonly widget: CaptchaWidget;
  /** Where the browser loads it from, besides this site. */
  readonly origins: readonly string[];
  /** Reads the answer of a form: what to remember of it when it is right, null when it is not. */
  check(answer: string): Promise<SolvedCaptcha | null>;
  /** A new question, for providers whose questions we ask ourselves. */
  challenge?(): Promise<object>;
}

export type CaptchaWidget = { provider: 'altcha' } | { provider: 'turnstile'; siteKey: string };
