import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { Callout } from '#app/components/feedback/callout.tsx';
import { AffectedList } from '#app/components/feedback/confirm.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireMoreThanPassword, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import { leaveChannel } from '#app/services/channels/channel-leaving.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, knownPasswordField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { countPassword } from '#app/services/limits/password-limits.server.ts';
import { finishSession } from '#app/services/sign-in/session.server.ts';
import { revokeTwitchToken } from '#app/services/sign-in/twitch-sign-in.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { endAllBilling } from '#billing/cancel-subscription.ts';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { type DeletionImpact, getDeletionImpact } from '#domain/account/get-deletion-impact.ts';
import { isIdentityConfirmed } from '#domain/identity/password/is-identity-confirmed.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import type { Route } from './+types/delete-account.ts';

export const headers = waitHeaders;

/**
 * The password, or the email address of an account without one. Named like a password so that it is never refilled.
 */
const DeleteSchema = z.object({ current: knownPasswordField });

export async function loader({ context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/settings/delete');
  const { id: userId, name, email, hasPassword, twitch } = account;
  const db = await database();
  const leaving = await getDeletionImpact(db, { userId });
  const sessions = await listSessions(db, { userId, currentToken: null }, await domainNow());
  const constraint = constraintOf(DeleteSchema);
  const hasTwitch = twitch !== null;
  return { name, email, hasPassword, hasTwitch, leaving, sessions: sessions.length, constraint };
}

/** Deletes the signed-in account, then revokes its access to Twitch. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/settings/delete');
  const { id: userId, email, hasPassword, twitch } = account;
  const submission = parseWithZod(await request.formData(), { schema: DeleteSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const place = { account: email, address: context.get(clientAddressContext) };
  const wait = await countPassword('confirm', place);
  if (wait > 0) return replyTooMany(submission, wait);
  const proof = submission.value.current;
  const db = await database();
  // Only the channel of a deleted account is left, and only its subscriptions end.
  const goes =
    isPossible(await getDeletionImpact(db, { userId })) &&
    (await isIdentityConfirmed(db.read, { userId, proof }));
  const open = goes ? await billing() : null;
  if (open && !(await endAllBilling(open, userId)).ok)
    return replyRefused(submission, accountRefusals.subscriptionLive);
  const left = !goes || !twitch || (await leaveChannel(db, twitch.id));
  const outcome = await deleteAccount(db, { vault: vault(), userId, proof }, await domainNow());
  if (!outcome.ok) {
    if (outcome.code !== 'passwordWrong') return replyRefused(submission, accountRefusals[outcome.code]);
    const telling = hasPassword ? accountRefusals.passwordWrong : wrongAddress;
    return replyRefused(submission, telling, 'current');
  }
  if (outcome.accessToken !== null) await revokeTwitchToken(outcome.accessToken);
  const headers = new Headers({ 'Set-Cookie': await finishSession(request) });
  const title = 'settings.delete.done';
  return redirectWithToast(
    '/',
    left
      ? { type: 'success', title, autoClose: false }
      : { type: 'warning', title, body: 'profile.twitch.leftBehind' },
    headers,
  );
}

const isPossible = ({ openTransfers, heldItems }: DeletionImpact): boolean =>
  openTransfers === 0 && heldItems === 0;

const wrongAddress = { status: 400, key: 'errors.account.addressWrong' } as const;

/** The obstacles to the deletion, with links to the pages that resolve them. */
function Obstacles({ leaving }: { leaving: DeletionImpact }) {
  const { t } = useTranslation();
  const { openTransfers, heldItems } = leaving;
  if (isPossible(leaving)) return null;
  return (
    <Callout type="warning" title={t('settings.delete.notYet')}>
      {openTransfers > 0 && <p>{t('settings.delete.openTransfers', { count: openTransfers })}</p>}
      {heldItems > 0 && <p>{t('settings.delete.heldItems', { count: heldItems })}</p>}
      <p className="line mt-2">
        {openTransfers > 0 && (
          <ButtonLink size="small" to="/transfers">
            {t('settings.delete.toTransfers')}
          </ButtonLink>
        )}
        {heldItems > 0 && (
          <ButtonLink size="small" to="/items/custody">
            {t('settings.delete.toItems')}
          </ButtonLink>
        )}
      </p>
    </Callout>
  );
}

function Effects({ email, leaving, sessions }: { email: string; leaving: DeletionImpact; sessions: number }) {
  const { t } = useTranslation();
  const counts = [
    { label: t('settings.delete.rules'), value: leaving.rules },
    { label: t('settings.delete.promises'), value: leaving.promises },
    { label: t('settings.delete.tokens'), value: leaving.tokens },
    { label: t('settings.delete.subscriptions'), value: leaving.subscriptions },
    { label: t('settings.delete.sessions'), value: sessions },
  ];
  const rows = [
    { label: t('settings.delete.address'), value: email },
    ...counts.filter(({ value }) => value),
  ];
  return <AffectedList rows={rows} />;
}

function DeleteForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const { email, hasPassword } = loaderData;
  const [form, fields] = useForm<{ current: string }>({
    id: 'delete-account',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <Form className="stack" method="post" {...form.props}>
      <FormErrors id={form.errorId} errors={form.errors} />
      {hasPassword ? (
        <Field
          field={fields.current}
          label={t('settings.delete.password')}
          type="password"
          autoComplete="current-password"
        />
      ) : (
        <Field
          field={fields.current}
          label={t('settings.delete.email')}
          hint={t('settings.delete.emailHint', { email })}
          type="email"
          autoComplete="off"
        />
      )}
      <div className="line">
        <ButtonLink kind="quiet" to="/settings">
          {t('settings.delete.keep')}
        </ButtonLink>
        <SubmitButton kind="danger-fill">{t('settings.delete.act')}</SubmitButton>
      </div>
    </Form>
  );
}

export default function DeleteAccount({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { name, email, leaving, sessions, hasTwitch } = loaderData;
  return (
    <div className="confirm">
      <PageHead
        title={t('settings.delete.question', { name })}
        above={[{ to: '/settings', label: t('settings.title') }]}
      />
      <Sheet title={t('settings.delete.effects')}>
        <p>{t('settings.delete.text')}</p>
        <Effects email={email} leaving={leaving} sessions={sessions} />
        <p className="muted">{t('settings.delete.consequence')}</p>
        {hasTwitch && <p className="muted">{t('profile.twitch.pointsConsequence')}</p>}
        <Obstacles leaving={leaving} />
        {isPossible(leaving) && <DeleteForm loaderData={loaderData} actionData={actionData} />}
      </Sheet>
    </div>
  );
}
