import { Fragment } from 'react';
import { data, Form } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { contactRefusals } from '#app/services/forms/refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { confirmMessage } from '#domain/contact/confirm-message.ts';
import { findMessageLink, type MessageLinkCode } from '#domain/contact/find-message-link.ts';
import type { Route } from './+types/confirm.ts';

export const handle: PageHandle = { plain: true };

type Facts =
  | { kind: 'waiting'; token: string; name: string; email: string; lines: string[] }
  | { kind: 'failed'; error: string };

function refused(code: MessageLinkCode) {
  const { status, key } = contactRefusals[code];
  return data<Facts>({ kind: 'failed', error: key }, { status });
}

/** Shows the message that the emailed link confirms, and a button, because mail scanners open links too. */
export async function loader({ request }: Route.LoaderArgs) {
  const token = new URL(request.url).searchParams.get('token') ?? '';
  const found = await findMessageLink((await database()).read, { token }, await domainNow());
  if (!found.ok) return refused(found.code);
  const { name, email, message } = found.message;
  return data<Facts>({ kind: 'waiting', token, name, email, lines: message.split(/\r?\n/) });
}

/** Uses the link: the message is sent to the operator. */
export async function action({ request }: Route.ActionArgs) {
  const token = (await request.formData()).get('token');
  const input = { token: typeof token === 'string' ? token : '', operatorEmail: config().operatorEmail };
  const outcome = await confirmMessage(await database(), input, await domainNow());
  if (!outcome.ok) return refused(outcome.code);
  nudgeBot();
  return redirectWithToast('/contact_us', { type: 'success', title: 'messages.messageSent' });
}

function Waiting({ token, name, email, lines }: Extract<Facts, { kind: 'waiting' }>) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t('contact.confirm.title')} lede={t('contact.confirm.text', { name, email })} />
      <Sheet title={t('contact.message')}>
        <p>
          {lines.map((line, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other key.
            <Fragment key={place}>
              <span>{line}</span>
              <br />
            </Fragment>
          ))}
        </p>
        <Form method="post">
          <input type="hidden" name="token" value={token} />
          <SubmitButton>{t('contact.submit')}</SubmitButton>
        </Form>
      </Sheet>
    </>
  );
}

export default function ConfirmMessage({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const facts: Facts = actionData ?? loaderData;
  return (
    <OpenShell>
      <div className="confirm stack">
        {facts.kind === 'waiting' ? (
          <Waiting {...facts} />
        ) : (
          <>
            <PageHead title={t('auth.verify.failedTitle')} />
            <Callout type="danger">
              <p>
                <ErrorText error={facts.error} />
              </p>
            </Callout>
            <div className="line">
              <ButtonLink kind="primary" to="/contact_us">
                {t('contact.confirm.again')}
              </ButtonLink>
            </div>
          </>
        )}
      </div>
    </OpenShell>
  );
}
