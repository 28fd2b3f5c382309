import { getFormProps, useForm } from '@conform-to/react';
import { parseWithZod } from '@conform-to/zod/v4';
import { Trans, useTranslation } from 'react-i18next';
import { Form, Link } from 'react-router';
import { z } from 'zod';
import { AuthShell } from '#app/components/auth-shell.tsx';
import { SubmitButton } from '#app/components/button.tsx';
import { Check } from '#app/components/choices.tsx';
import { Field, FieldError, FormErrors } from '#app/components/field.tsx';
import { TwitchEntrance } from '#app/components/twitch-entrance.tsx';
import { clientAddressContext, languageContext } from '#app/middleware/contexts.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { checkCredentials } from '#app/services/credentials.server.ts';
import { database } from '#app/services/database.server.ts';
import {
  acceptedField,
  constraintOf,
  emailField,
  newPasswordField,
  requiredText,
} from '#app/services/form-fields.server.ts';
import { replyInvalid, replyRefused, tooManyTries } from '#app/services/form-reply.server.ts';
import { mayTry } from '#app/services/rate-limits.server.ts';
import { accountRefusals } from '#app/services/refusals.server.ts';
import { startSession } from '#app/services/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { canUseTwitch } from '#app/services/twitch-sign-in.server.ts';
import { hashPassword } from '#domain/account/password.ts';
import { registerUser } from '#domain/account/register-user.ts';
import type { Route } from './+types/signup.ts';

const SignUpSchema = z.object({
  name: requiredText(50),
  email: emailField,
  password: newPasswordField,
  terms: acceptedField,
});

export const loader = () => ({ constraint: constraintOf(SignUpSchema), canUseTwitch: canUseTwitch() });

export async function action({ request, context }: Route.ActionArgs) {
  const submission = parseWithZod(await request.formData(), { schema: SignUpSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const address = context.get(clientAddressContext);
  if (!(await mayTry('signUpByAddress', address))) return replyRefused(submission, tooManyTries);
  const { name, email, password } = submission.value;
  const person = {
    name,
    email,
    passwordHash: await hashPassword(password),
    locale: context.get(languageContext),
  };
  const outcome = await registerUser(await database(), person, await domainNow());
  if (!outcome.ok) {
    // A form that was sent twice: the second one finds the account of the first, and knows its password.
    const known = await checkCredentials({ email, password }, address);
    if (!known.ok) return replyRefused(submission, accountRefusals[outcome.code], 'email');
    return enter(request, known.userId);
  }
  nudgeBot();
  return enter(request, outcome.userId);
}

async function enter(request: Request, userId: string) {
  const headers = new Headers({ 'Set-Cookie': await startSession(request, userId) });
  return redirectWithToast('/email/unverified', { type: 'success', title: 'messages.registered' }, headers);
}

export default function SignUp({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const [form, fields] = useForm<z.input<typeof SignUpSchema>>({
    id: 'signup',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <AuthShell title={t('auth.signup.title')} lede={t('auth.signup.lede')}>
      {loaderData.canUseTwitch && <TwitchEntrance note={t('auth.signup.byTwitchTerms')} />}
      <Form className="stack" method="post" {...getFormProps(form)}>
        <FormErrors id={form.errorId} errors={form.errors} />
        <Field
          field={fields.name}
          label={t('auth.name')}
          hint={t('auth.signup.nameHint')}
          autoComplete="nickname"
        />
        <Field field={fields.email} label={t('auth.email')} type="email" autoComplete="email" />
        <Field
          field={fields.password}
          label={t('auth.password')}
          hint={t('auth.passwordHint')}
          type="password"
          autoComplete="new-password"
        />
        <div className="field">
          <Check
            small
            id={fields.terms.id}
            name={fields.terms.name}
            required
            aria-invalid={fields.terms.errors ? true : undefined}
            aria-describedby={fields.terms.errors ? fields.terms.errorId : undefined}
          >
            <Trans
              i18nKey="auth.signup.terms"
              components={{ terms: <Link to="/terms_of_service" />, privacy: <Link to="/privacy_policy" /> }}
            />
          </Check>
          <FieldError id={fields.terms.errorId} errors={fields.terms.errors} />
        </div>
        <SubmitButton size="large" wide>
          {t('auth.signup.submit')}
        </SubmitButton>
      </Form>
      <p className="s13 muted">
        <Trans i18nKey="auth.signup.haveAccount" components={{ signin: <Link to="/auth/signin" /> }} />
      </p>
    </AuthShell>
  );
}
