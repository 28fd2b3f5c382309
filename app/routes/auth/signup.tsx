import { parseWithZod } from '@conform-to/zod/v4';
import { Form, redirect } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Captcha } from '#app/components/forms/captcha.tsx';
import { Check } from '#app/components/forms/choices.tsx';
import { Field, FieldError, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { LinkedText, useTranslation } from '#app/components/text/translation.tsx';
import { siteHost } from '#app/config.server.ts';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext, languageContext } from '#app/middleware/contexts.server.ts';
import { enter, enterAsNewUser } from '#app/routes/auth/entrance.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { captcha, readCaptcha } from '#app/services/captcha/captcha.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import {
  acceptedField,
  constraintOf,
  emailField,
  nameField,
  newPasswordField,
} from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals, invalidCaptcha } from '#app/services/forms/refusals.server.ts';
import { everyone, longestWait } from '#app/services/limits/rate-limits.server.ts';
import { signInByPassword } from '#app/services/sign-in/credentials.server.ts';
import { canUseTwitch } from '#app/services/sign-in/twitch-sign-in.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { choosePassword } from '#domain/identity/password/choose-password.ts';
import type { Route } from './+types/signup.ts';
import { TwitchSignIn } from './twitch-sign-in.tsx';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

const SignUpSchema = z.object({
  name: nameField,
  email: emailField,
  password: newPasswordField,
  terms: acceptedField,
});

/** With `as=streamer`, Twitch is asked at once for the permissions that rules on a channel need. */
export const loader = ({ request }: Route.LoaderArgs) => ({
  constraint: constraintOf(SignUpSchema),
  canUseTwitch: canUseTwitch(),
  captcha: captcha().widget,
  streams: new URL(request.url).searchParams.get('as') === 'streamer',
});

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const submission = parseWithZod(form, { schema: SignUpSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const address = context.get(clientAddressContext);
  const proof = await readCaptcha(form);
  if (!proof.ok) return replyRefused(submission, invalidCaptcha);
  const wait = await longestWait({
    signUpByAddress: address,
    ...(proof.plain && { signUpPlainByAddress: address, signUpPlain: everyone }),
  });
  if (wait > 0) return replyTooMany(submission, wait);
  const { name, email, password } = submission.value;
  const chosen = await choosePassword(password, { name, email, site: siteHost() });
  if (!chosen.ok) return replyRefused(submission, accountRefusals[chosen.code], 'password');
  const person = {
    name,
    email,
    passwordHash: chosen.passwordHash,
    locale: context.get(languageContext),
    captcha: proof.solved,
  };
  const outcome = await registerUser(await database(), person, await domainNow());
  if (!outcome.ok) {
    // The form was sent twice: the second one finds the account of the first, with the same password.
    const known = await signInByPassword(request, { email, password }, address);
    if (!known.ok)
      return outcome.code === 'captchaSpent'
        ? replyRefused(submission, invalidCaptcha)
        : replyRefused(submission, accountRefusals[outcome.code], 'email');
    const { to, headers } = await enter(request, known, '/dashboard');
    return known.step === 'done' ? welcome(headers) : redirect(to, { headers });
  }
  nudgeBot();
  return welcome(await enterAsNewUser(request, { userId: outcome.userId, isProof: true }));
}

function welcome(headers: Headers) {
  return redirectWithToast('/email/unverified', { type: 'success', title: 'messages.registered' }, headers);
}

const documents = { terms: <Link to="/terms_of_service" />, privacy: <Link to="/privacy_policy" /> };

export default function SignUp({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const [form, fields] = useForm<z.input<typeof SignUpSchema>>({
    id: 'signup',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <AuthShell title={t('auth.signup.title')} lede={t('auth.signup.lede')}>
      {loaderData.canUseTwitch && (
        <TwitchSignIn
          streams={loaderData.streams}
          note={
            <>
              <LinkedText text="auth.signup.byTwitchTerms" links={documents} />{' '}
              {loaderData.streams && t('auth.signup.byTwitchStreams')}
            </>
          }
        />
      )}
      <Form className="stack" method="post" {...form.props}>
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
            defaultChecked={fields.terms.initialValue === 'on'}
            aria-invalid={fields.terms.errors ? true : undefined}
            aria-describedby={fields.terms.errors ? fields.terms.errorId : undefined}
          >
            <LinkedText text="auth.signup.terms" links={documents} />
          </Check>
          <FieldError id={fields.terms.errorId} errors={fields.terms.errors} />
        </div>
        <Captcha widget={loaderData.captcha} reply={actionData} />
        <SubmitButton kind={loaderData.canUseTwitch ? 'secondary' : 'primary'} size="large" wide>
          {t('auth.signup.submit')}
        </SubmitButton>
      </Form>
      <p className="s13 muted">
        <LinkedText text="auth.signup.haveAccount" links={{ signin: <Link to="/auth/signin" /> }} />
      </p>
    </AuthShell>
  );
}
