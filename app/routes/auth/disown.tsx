import { data, Form } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit, tooManyText } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import {
  disownAccess,
  type EndedAccess,
  findDisownLink,
  isDisownSettled,
} from '#domain/account/disown-access.ts';
import type { Route } from './+types/disown.ts';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

type Facts =
  | { kind: 'waiting'; token: string; email: string; error?: string }
  | ({ kind: 'ended' } & EndedAccess)
  | { kind: 'settled' }
  | { kind: 'closed' };

/** The page of a link that does nothing any more. */
async function idle(token: string) {
  const isSettled = await isDisownSettled((await database()).read, { token }, await domainNow());
  // Said, because React Router would otherwise answer a form with the status of the page before it, read again.
  return isSettled
    ? data<Facts>({ kind: 'settled' }, { status: 200 })
    : data<Facts>({ kind: 'closed' }, { status: accountRefusals.disownLinkBad.status });
}

/** The page that “This wasn't me” in a mail opens, signed in or not: a button, because mail scanners open links too. */
export async function loader({ request }: Route.LoaderArgs) {
  const token = new URL(request.url).searchParams.get('token') ?? '';
  const link = await findDisownLink((await database()).read, { token }, await domainNow());
  return link ? data<Facts>({ kind: 'waiting', token, email: link.email }) : idle(token);
}

/** Uses the link. What ended is said here, not on another page: nobody is signed in afterwards. */
export async function action({ request, context }: Route.ActionArgs) {
  const sent = (await request.formData()).get('token');
  const token = typeof sent === 'string' ? sent : '';
  const wait = await waitSeconds('disownByAddress', context.get(clientAddressContext));
  if (wait > 0)
    return data<Facts>({ kind: 'waiting', token, email: '', error: tooManyText(wait) }, tooManyInit(wait));
  const outcome = await disownAccess(await database(), { token }, await domainNow());
  if (!outcome.ok) return idle(token);
  // Offers that are on Steam already are cancelled now.
  nudgeBot();
  const { ok: _, ...ended } = outcome;
  return data<Facts>({ kind: 'ended', ...ended }, { status: 200 });
}

function Waiting({ token, email, error }: { token: string; email: string; error: string | undefined }) {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('recovery.disown.title')} lede={t('recovery.disown.text', { email })}>
      {error && (
        <Callout type="danger">
          <p>
            <ErrorText error={error} />
          </p>
        </Callout>
      )}
      <p>{t('recovery.disown.stays')}</p>
      <Form method="post">
        <input type="hidden" name="token" value={token} />
        <SubmitButton size="large" wide>
          {t('recovery.disown.act')}
        </SubmitButton>
      </Form>
    </AuthShell>
  );
}

function Ended({ sessions, tokens, frozenRules }: EndedAccess) {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('recovery.disown.doneTitle')}>
      <Callout type="success">
        <p>{t('recovery.disown.done')}</p>
        <p>{t('recovery.disown.counts', { sessions, tokens })}</p>
        <p>{t('recovery.disown.frozen', { frozenRules })}</p>
      </Callout>
      <h2>{t('recovery.disown.nowTitle')}</h2>
      <ol className="stack">
        <li>{t('recovery.disown.now.password')}</li>
        <li>{t('recovery.disown.now.rules')}</li>
        <li>{t('recovery.disown.now.connections')}</li>
      </ol>
      <NextSteps />
    </AuthShell>
  );
}

function Closed() {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('recovery.closed.title')} lede={t('errors.account.disownLinkBad')}>
      <p>{t('recovery.disown.instead')}</p>
      <NextSteps />
    </AuthShell>
  );
}

function Settled() {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('recovery.disown.settledTitle')} lede={t('recovery.disown.settled')}>
      <p>{t('recovery.disown.instead')}</p>
      <NextSteps />
    </AuthShell>
  );
}

function NextSteps() {
  const { t } = useTranslation();
  return (
    <>
      <ButtonLink kind="primary" size="large" wide to="/auth/forgot-password">
        {t('recovery.disown.toPassword')}
      </ButtonLink>
      <p className="s13 muted">
        <Link to="/auth/signin?to=/settings/freeze">{t('recovery.toSignin')}</Link>
      </p>
    </>
  );
}

export default function Disown({ loaderData, actionData }: Route.ComponentProps) {
  const facts: Facts = actionData ?? loaderData;
  if (facts.kind === 'ended') return <Ended {...facts} />;
  if (facts.kind === 'settled') return <Settled />;
  if (facts.kind === 'closed') return <Closed />;
  const { token, error } = facts;
  const email = loaderData.kind === 'waiting' ? loaderData.email : facts.email;
  return <Waiting token={token} email={email} error={error} />;
}
