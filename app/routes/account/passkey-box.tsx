import type { ReactNode } from 'react';
import { useDocument } from '#app/components/shell/page-context.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import passkeyScript from '#app/islands/passkey.ts?worker&url';

/**
 * The part of a form that a passkey fills in: its button, which the style sheet hides until the script has come, and a line for when nothing came of
 * it. Without JavaScript it says that passkeys need it, unless the page has another way beside it.
 */
export function PasskeyBox({
  options,
  optionsFrom,
  act,
  children,
}: {
  act: 'prove' | 'register';
  children: ReactNode;
} & (
  | { /** WebAuthn's options as JSON. */ options: string; optionsFrom?: undefined }
  | { /** Read from here once needed. */ optionsFrom: string; options?: undefined }
)) {
  const { t } = useTranslation();
  const { nonce } = useDocument();
  return (
    <>
      {optionsFrom === undefined && (
        <noscript>
          <p className="muted">{t('secondFactor.passkeys.needsScript')}</p>
        </noscript>
      )}
      <script type="module" async src={passkeyScript} nonce={nonce} />
      <passkey-box class="stack stack-2" data-act={act} data-options={options} data-from={optionsFrom}>
        <input type="hidden" name="passkey" />
        <div className="line">{children}</div>
        <p role="alert" hidden>
          {act === 'register' ? t('secondFactor.passkeys.notCreated') : t('secondFactor.passkeys.failed')}
        </p>
      </passkey-box>
    </>
  );
}
