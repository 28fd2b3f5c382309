import altchaStyle from 'altcha/altcha.css?url';
import { useState } from 'react';
import { useDocument } from '#app/components/shell/page-context.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import altchaScript from '#app/islands/altcha.ts?worker&url';
import turnstileScript from '#app/islands/turnstile.ts?worker&url';
import type { CaptchaWidget } from '#app/services/captcha/captcha-provider.ts';

/** Returns the number of answers that the form has received. */
function useRound(reply: unknown): number {
  const [last, setLast] = useState({ reply, round: 0 });
  if (last.reply === reply) return last.round;
  const next = { reply, round: last.round + 1 };
  setLast(next);
  return next.round;
}

/**
 * The captcha of a form. Without JavaScript the form says so instead, and stricter limits apply. `reply` is the
 * form's last answer: each answer needs a new captcha.
 */
export function Captcha({ widget, reply }: { widget: CaptchaWidget; reply: unknown }) {
  const { t, language } = useTranslation();
  const { nonce } = useDocument();
  const round = useRound(reply);
  const isAltcha = widget.provider === 'altcha';
  const words = {
    label: t('captcha.label'),
    verifying: t('captcha.verifying'),
    verified: t('captcha.verified'),
    error: t('captcha.error'),
    expired: t('captcha.expired'),
    waitAlert: t('captcha.verifying'),
  };
  return (
    <>
      <noscript>
        <input type="hidden" name="without_script" value="on" />
      </noscript>
      {isAltcha && <link rel="stylesheet" href={altchaStyle} precedence="default" nonce={nonce} />}
      <script type="module" async src={isAltcha ? altchaScript : turnstileScript} nonce={nonce} />
      <captcha-box
        key={String(round)}
        class="captcha-place"
        data-language={language}
        data-words={isAltcha ? JSON.stringify(words) : undefined}
        data-sitekey={isAltcha ? undefined : widget.siteKey}
      />
    </>
  );
}
