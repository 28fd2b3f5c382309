import { parseWithZod } from '@conform-to/zod/v4';
import { Form, redirect } from 'react-router';
import { z } from 'zod';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { freezePage, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { confirmedContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, knownPasswordField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits, countPassword } from '#app/services/limits/password-limits.server.ts';
import {
  askForProof,
  proveWithinLimits,
  readProofForm,
  replyUnproven,
} from '#app/services/sign-in/proof-form.server.ts';
import { safePath } from '#app/services/sign-in/safe-redirect.server.ts';
import { cookieHeaders, saveSession, sessionToken } from '#app/services/sign-in/session.server.ts';
import { canUseTwitch } from '#app/services/sign-in/twitch-sign-in.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { confirmByPassword, confirmBySecondFactor } from '#domain/identity/session/confirm-identity.ts';
import type { Route } from './+types/confirm-identity.ts';
import { askAgainIfRefused } from './ask-again.ts';
import { ProofForms } from './proof-forms.tsx';

export const headers = waitHeaders;

const ConfirmSchema = z.object({ current: knownPasswordField });

const pageAfter = (request: Request): string =>
  safePath(new URL(request.url).searchParams.get('to'), '/profile');

export const shouldRevalidate = askAgainIfRefused;

export async function loader({ request, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const { id: userId, hasPassword, hasSecondFactor, twitch, isFrozen } = account;
  const to = pageAfter(request);
  if (context.get(confirmedContext)) throw redirect(to);
  const endsFreeze = isFrozen && to === freezePage;
  const twitchName = twitch && canUseTwitch() ? twitch.displayName : null;
  const token = (await sessionToken(request)) ?? '';
  const asked = hasSecondFactor ? await askForProof(request, { userId, token }) : null;
  return { to, hasPassword, asked, twitchName, endsFreeze, constraint: constraintOf(ConfirmSchema) };
}

/**
 * Confirms the user's identity by the password or the second factor, and goes on with the page that asked for
 * it.
 */
export async function action(args: Route.ActionArgs) {
  const account = await requireVerifiedAccount(args.context);
  return account.hasSecondFactor ? confirmByProof(args, account) : confirmByOwnPassword(args, account);
}

async function confirmByProof({ request, context }: Route.ActionArgs, { id: userId }: Account) {
  const token = (await sessionToken(request)) ?? '';
  const read = await readProofForm(request, token);
  if (read.proof === null) return read.reply;
  const { proof } = read;
  const db = await database();
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const outcome = await proveWithinLimits({ userId, proof }, context.get(clientAddressContext), () =>
    confirmBySecondFactor(db, { userId, token, ...proof }, times),
  );
  if (outcome.ok) return goOn(request, outcome.token);
  if (outcome.code === 'sessionUnknown') return goOn(request, null);
  return replyUnproven(read, outcome);
}

async function confirmByOwnPassword({ request, context }: Route.ActionArgs, { id: userId, email }: Account) {
  const submission = parseWithZod(await request.formData(), { schema: ConfirmSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const place = { account: email, address: context.get(clientAddressContext) };
  const wait = await countPassword('confirm', place);
  if (wait > 0) return replyTooMany(submission, wait);
  const token = (await sessionToken(request)) ?? '';
  const password = submission.value.current;
  const outcome = await confirmByPassword(await database(), { userId, token, password }, await domainNow());
  if (!outcome.ok && outcome.code === 'sessionUnknown') return goOn(request, null);
  if (!outcome.ok) return replyRefused(submission, accountRefusals[outcome.code], 'current');
  await clearPasswordLimits('confirm', place);
  return goOn(request, outcome.token);
}

/**
 * Goes on with the session's new token. Without one another tab of this browser confirmed at the same moment and has it,
 * or the session has ended, which the next page says.
 */
const goOn = async (request: Request, token: string | null) =>
  redirect(pageAfter(request), { headers: cookieHeaders(token === null ? [] : [await saveSession(token)]) });

function PasswordForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ current: string }>({
    id: 'confirm-identity',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <Form className="stack" method="post" {...form.props}>
      <FormErrors id={form.errorId} errors={form.errors} />
      <Field
        field={fields.current}
        label={t('identity.confirm.password')}
        type="password"
        autoComplete="current-password"
      />
      <div className="line">
        <SubmitButton>{t('identity.confirm.submit')}</SubmitButton>
      </div>
    </Form>
  );
}

/** A sign-in with the connected Twitch account proves the same. It leaves this site, so it is a full navigation. */
function TwitchButton({ name, to }: { name: string; to: string }) {
  const { t } = useTranslation();
  return (
    <div className="stack stack-2">
      <div className="line">
        <ButtonLink to={`/auth/twitch?${new URLSearchParams({ from: 'confirm', to })}`} reloadDocument>
          {t('identity.confirm.byTwitch')}
        </ButtonLink>
      </div>
      <p className="s13 muted">{t('identity.confirm.byTwitchHint', { name })}</p>
    </div>
  );
}

/** Asks for the password or Twitch; for users without a second factor. */
function FirstFactor({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const { to, hasPassword, twitchName } = loaderData;
  return (
    <>
      {hasPassword && <PasswordForm loaderData={loaderData} actionData={actionData} />}
      {twitchName && <TwitchButton name={twitchName} to={to} />}
      {!hasPassword && !twitchName && (
        <>
          <p>{t('identity.confirm.impossible')}</p>
          <div className="line">
            <ButtonLink to="/profile">{t('identity.confirm.back')}</ButtonLink>
          </div>
        </>
      )}
    </>
  );
}

export default function ConfirmIdentity({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { asked, to, endsFreeze } = loaderData;
  return (
    <div className="confirm">
      <PageHead
        title={t('identity.confirm.title')}
        lede={endsFreeze ? t('identity.confirm.frozenLede') : t('identity.confirm.lede')}
        above={[{ to: '/profile', label: t('profile.title') }]}
      />
      <Sheet>
        {asked ? (
          <ProofForms
            id="confirm-identity"
            asked={asked}
            lastResult={actionData?.result}
            page={`/profile/confirm?${new URLSearchParams({ to })}`}
            act={t('identity.confirm.submit')}
          />
        ) : (
          <FirstFactor loaderData={loaderData} actionData={actionData} />
        )}
      </Sheet>
    </div>
  );
}
