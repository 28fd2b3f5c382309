import type { SolvedCaptcha } from '#domain/identity/access/consume-captcha.ts';

/** A captcha service. The configuration selects one. */
export interface CaptchaProvider {
  /** The data that a page needs to render it. */
  readonly widget: CaptchaWidget;
  /** The origins that the browser loads it from, besides this site. */
  readonly origins: readonly string[];
  /**
   * Verifies the solution in a form. Returns a record that prevents using it again, or null if it is wrong.
   */
  check(answer: string): Promise<SolvedCaptcha | null>;
  /** A new challenge, for providers whose challenges we issue. */
  challenge?(): Promise<object>;
}

export type CaptchaWidget = { provider: 'altcha' } | { provider: 'turnstile'; siteKey: string };
