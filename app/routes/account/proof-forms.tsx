import type { Constraint, SubmissionResult } from '@conform-to/dom';
import type { ReactNode } from 'react';
import { Form } from 'react-router';
import { type ButtonKind, SubmitButton } from '#app/components/forms/button.tsx';
import { FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { CodeField } from './code-field.tsx';
import { PasskeyBox } from './passkey-box.tsx';

/** The second factors that a page asks for. */
export interface AskedProof {
  /** WebAuthn's options as JSON; null if no passkey is asked for. */
  passkey: string | null;
  /** The kind of code that is asked for; null if only a passkey is. */
  code: 'app' | 'recovery' | null;
  constraint: Partial<Record<string, Constraint>>;
}

type Props = {
  id: string;
  asked: AskedProof;
  lastResult: SubmissionResult<string[]> | null | undefined;
  /** The page itself: where the other way leads. */
  page: string;
  /** The words on the button of the code. */
  act: string;
  kind?: ButtonKind;
  wide?: boolean;
  /** A way out, beside the button of the code. */
  keep?: ReactNode;
};

/** Asks for a second factor: by a passkey, by a code, or by either. */
export function ProofForms({ id, asked, lastResult, page, act, kind, wide = false, keep }: Props) {
  const { t } = useTranslation();
  const { passkey, code, constraint } = asked;
  const [form, fields] = useForm<{ code: string }>({ id, constraint, lastResult });
  const isRecovery = code === 'recovery';
  const recoveryPage = `${page}${page.includes('?') ? '&' : '?'}recovery`;
  return (
    <>
      {passkey && (
        <Form className="stack" method="post">
          {!code && <FormErrors id={form.errorId} errors={form.errors} />}
          <PasskeyBox options={passkey} act="prove">
            <SubmitButton kind={code ? 'secondary' : kind} size={wide ? 'large' : 'normal'} wide={wide}>
              {t('secondFactor.passkeys.use')}
            </SubmitButton>
          </PasskeyBox>
        </Form>
      )}
      {code && (
        <Form className="stack" method="post" {...form.props}>
          <FormErrors id={form.errorId} errors={form.errors} />
          <CodeField field={fields.code} recovery={isRecovery} />
          <div className="line">
            {keep}
            <SubmitButton kind={kind} size={wide ? 'large' : 'normal'} wide={wide}>
              {act}
            </SubmitButton>
          </div>
        </Form>
      )}
      <p className="s13">
        {isRecovery ? (
          <Link to={page}>{t('secondFactor.step.otherWay')}</Link>
        ) : (
          <Link to={recoveryPage}>{t('secondFactor.step.toRecovery')}</Link>
        )}
      </p>
    </>
  );
}
