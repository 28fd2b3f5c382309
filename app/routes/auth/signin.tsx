import { parseWithZod } from '@conform-to/zod/v4';
import { Form, redirect } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { LinkedText, useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { freezePage } from '#app/middleware/guards.server.ts';
import { enter } from '#app/routes/auth/entrance.server.ts';
import { clearPasskeyChallenge, enterByPasskey } from '#app/routes/auth/passkey-sign-in.server.ts';
import { constraintOf, emailField, knownPasswordField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { signInByPassword } from '#app/services/sign-in/credentials.server.ts';
import { passkeySite } from '#app/services/sign-in/passkey-site.server.ts';
import { namingPasskeyField } from '#app/services/sign-in/proof-form.server.ts';
import { safePath } from '#app/services/sign-in/safe-redirect.server.ts';
import { canUseTwitch } from '#app/services/sign-in/twitch-sign-in.server.ts';
import { PasskeyBox } from '../account/passkey-box.tsx';
import type { Route } from './+types/signin.ts';
import { TwitchSignIn } from './twitch-sign-in.tsx';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

const SignInSchema = z.object({ email: emailField, password: knownPasswordField });

const PasskeySchema = z.object({ passkey: namingPasskeyField });

const pageAfter = (request: Request): string =>
  safePath(new URL(request.url).searchParams.get('to'), '/dashboard');

export const loader = ({ request }: Route.LoaderArgs) => ({
  constraint: constraintOf(SignInSchema),
  canUseTwitch: canUseTwitch(),
  canUsePasskey: passkeySite() !== null,
  to: new URL(request.url).searchParams.has('to') ? pageAfter(request) : undefined,
  endsFreeze: pageAfter(request) === freezePage,
});

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const address = context.get(clientAddressContext);
  if (form.has('passkey')) return signInByPasskey(request, form, address);
  const submission = parseWithZod(form, { schema: SignInSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const outcome = await signInByPassword(request, submission.value, address);
  if (!outcome.ok)
    return outcome.code === 'tooManyTries'
      ? replyTooMany(submission, outcome.waitSeconds)
      : replyRefused(submission, accountRefusals[outcome.code]);
  const { to, headers } = await enter(request, outcome, pageAfter(request));
  return redirect(to, { headers });
}

async function signInByPasskey(request: Request, form: FormData, address: string) {
  const submission = parseWithZod(form, { schema: PasskeySchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const site = passkeySite();
  if (!site) return replyRefused(submission, accountRefusals.passkeyRefused);
  const outcome = await enterByPasskey(request, { response: submission.value.passkey, site }, address);
  if (!outcome.ok)
    return outcome.code === 'tooManyTries'
      ? replyTooMany(submission, outcome.waitSeconds)
      : replyRefused(submission, accountRefusals[outcome.code]);
  const { to, headers } = await enter(request, outcome, pageAfter(request));
  headers.append('Set-Cookie', await clearPasskeyChallenge());
  return redirect(to, { headers });
}

export default function SignIn({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const [form, fields] = useForm<z.input<typeof SignInSchema>>({
    id: 'signin',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <AuthShell
      title={t('auth.signin.title')}
      lede={loaderData.endsFreeze ? t('auth.signin.frozenLede') : t('auth.signin.lede')}
    >
      {loaderData.canUseTwitch && <TwitchSignIn to={loaderData.to} />}
      <Form className="stack" method="post" {...form.props}>
        <FormErrors id={form.errorId} errors={form.errors} />
        <Field field={fields.email} label={t('auth.email')} type="email" autoComplete="username" />
        <Field
          field={fields.password}
          label={t('auth.password')}
          type="password"
          autoComplete="current-password"
        />
        <p className="s13">
          <Link to="/auth/forgot-password">{t('auth.signin.forgot')}</Link>
        </p>
        <SubmitButton kind={loaderData.canUseTwitch ? 'secondary' : 'primary'} size="large" wide>
          {t('auth.signin.submit')}
        </SubmitButton>
      </Form>
      {loaderData.canUsePasskey && (
        <Form className="stack" method="post">
          <PasskeyBox optionsFrom="/auth/passkey" act="prove">
            <SubmitButton kind="secondary" size="large" wide>
              {t('auth.signin.byPasskey')}
            </SubmitButton>
          </PasskeyBox>
        </Form>
      )}
      <p className="s13 muted">
        <LinkedText text="auth.signin.noAccount" links={{ signup: <Link to="/auth/signup" /> }} />
      </p>
    </AuthShell>
  );
}
