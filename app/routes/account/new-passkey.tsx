import { parseWithZod } from '@conform-to/zod/v4';
import { data, Form, redirect, type ShouldRevalidateFunctionArgs } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { useLastAnswer } from '#app/components/forms/last-answer.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, nameField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { passkeySite } from '#app/services/sign-in/passkey-site.server.ts';
import { newPasskeyField } from '#app/services/sign-in/proof-form.server.ts';
import { cookieHeaders, renewSession, sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { askForNewPasskey } from '#domain/identity/second-factor/passkeys/ask-for-passkey.ts';
import { registerPasskey } from '#domain/identity/second-factor/passkeys/register-passkey.ts';
import { browserName } from '#domain/identity/session/browser-name.ts';
import type { Route } from './+types/new-passkey.ts';
import { askAgainIfRefused } from './ask-again.ts';
import { PasskeyBox } from './passkey-box.tsx';
import { RecoveryCodeList } from './recovery-code-list.tsx';

const page = '/profile/second-factor/passkeys/new';
const overview = '/profile/second-factor';

const NewPasskeySchema = z.object({ name: nameField, passkey: newPasskeyField });
const constraint = constraintOf(NewPasskeySchema);

/** The page that shows recovery codes is never cached, not even for the browser's back button. */
export const headers = () => ({ 'Cache-Control': 'no-store' });

/**
 * Recovery codes stay on the page even if the confirmation of this session ends meanwhile. A refusal brings another
 * challenge.
 */
export const shouldRevalidate = (answer: ShouldRevalidateFunctionArgs) =>
  askAgainIfRefused(answer) && !answer.actionResult?.recoveryCodes;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, email } = await requireVerifiedAccount(context);
  const site = passkeySite();
  if (!site) throw redirect(overview);
  requireConfirmed(context, page);
  const asker = { userId, email, site, token: (await sessionToken(request)) ?? '' };
  const options = await askForNewPasskey(await database(), asker, await domainNow());
  const { browser, system } = browserName(request.headers.get('User-Agent') ?? '');
  const name = [browser, system].filter((part) => part !== null).join(', ');
  return { options: JSON.stringify(options), name, constraint };
}

/** Adds a passkey, and shows the recovery codes once if it is the first second factor. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const site = passkeySite();
  if (!site) throw redirect(overview);
  requireConfirmed(context, page);
  const submission = parseWithZod(await request.formData(), { schema: NewPasskeySchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const { name, passkey: response } = submission.value;
  const currentToken = (await sessionToken(request)) ?? '';
  const made = { userId, currentToken, name, response, site };
  const outcome = await registerPasskey(await database(), made, await domainNow());
  if (!outcome.ok && outcome.code === 'sessionUnknown') throw redirect('/auth/signin');
  if (!outcome.ok) return replyRefused(submission, accountRefusals[outcome.code]);
  // This browser gets a new token too, so that a copy of the old one ends with the others.
  const headers = cookieHeaders(await renewSession(request, { userId, isProof: true }));
  if (outcome.recoveryCodes) return data({ result: null, recoveryCodes: outcome.recoveryCodes }, { headers });
  return redirectWithToast(overview, { type: 'success', title: 'secondFactor.passkeys.done' }, headers);
}

function NewPasskeyForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ name: string }>({
    id: 'new-passkey',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
    defaultValue: { name: loaderData.name },
  });
  return (
    <Form className="stack" method="post" {...form.props}>
      <FormErrors id={form.errorId} errors={form.errors} />
      <Field
        field={fields.name}
        label={t('secondFactor.passkeys.name')}
        hint={t('secondFactor.passkeys.nameHint')}
        autoComplete="off"
      />
      <p className="s13 muted">{t('secondFactor.passkeys.effect')}</p>
      <PasskeyBox options={loaderData.options} act="register">
        <SubmitButton>{t('secondFactor.passkeys.create')}</SubmitButton>
      </PasskeyBox>
    </Form>
  );
}

export default function NewPasskey({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const answer = useLastAnswer(actionData);
  const codes = answer && 'recoveryCodes' in answer ? answer.recoveryCodes : null;
  return (
    <>
      <PageHead
        title={t('secondFactor.passkeys.add')}
        above={[
          { to: '/profile', label: t('profile.title') },
          { to: overview, label: t('secondFactor.title') },
        ]}
      />
      {codes ? (
        <RecoveryCodeList title={t('secondFactor.passkeys.done')} codes={codes} />
      ) : (
        <Sheet title={t('secondFactor.passkeys.title')}>
          <p className="muted">{t('secondFactor.passkeys.text')}</p>
          <NewPasskeyForm loaderData={loaderData} actionData={answer} />
        </Sheet>
      )}
    </>
  );
}
