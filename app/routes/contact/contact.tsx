import { randomUUID } from 'node:crypto';
import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Captcha } from '#app/components/forms/captcha.tsx';
import { Field, FormErrors, TextField } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { Link } from '#app/components/shell/link.tsx';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LinkedText, useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext, languageContext } from '#app/middleware/contexts.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { captcha, readCaptcha } from '#app/services/captcha/captcha.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, emailField, longText, nameField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { contactRefusals, invalidCaptcha } from '#app/services/forms/refusals.server.ts';
import { everyone, longestWait } from '#app/services/limits/rate-limits.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { sendMessage } from '#domain/contact/send-message.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { done } from '#domain/kernel/outcome.ts';
import type { Route } from './+types/contact.ts';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

const ContactSchema = z.object({ name: nameField, email: emailField, message: longText(4000) });

export async function loader({ context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  return {
    // Changes after every sent message, but not after a refused one, so that only a sent form is cleared.
    formKey: randomUUID(),
    constraint: constraintOf(ContactSchema),
    known: account && { name: account.name, email: account.email },
    captcha: account?.verified ? null : captcha().widget,
  };
}

/**
 * Stores a message and emails it to the operator. Without a verified account, the sender solves a captcha or, in a
 * browser that cannot show one, confirms the message through an emailed link.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const submission = parseWithZod(form, { schema: ContactSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const account = context.get(accountContext);
  const known = account?.verified === true;
  const proof = known ? done({ solved: null, plain: false }) : await readCaptcha(form);
  if (!proof.ok) return replyRefused(submission, invalidCaptcha);
  const address = context.get(clientAddressContext);
  const wait = await longestWait({
    contactByAddress: address,
    ...(account && { contactByAccount: account.id }),
    ...(proof.plain && {
      contactPlainByAddress: address,
      contactPlainByMailbox: emailAddress(submission.value.email),
      contactPlain: everyone,
    }),
  });
  if (wait > 0) return replyTooMany(submission, wait);
  const message = {
    userId: account?.id ?? null,
    locale: context.get(languageContext),
    ...submission.value,
  };
  const senderProof = known ? 'account' : (proof.solved ?? 'mailbox');
  const input = { message, operatorEmail: config().operatorEmail, senderProof } as const;
  const outcome = await sendMessage(await database(), input, await domainNow());
  if (!outcome.ok) return replyRefused(submission, contactRefusals[outcome.code]);
  nudgeBot();
  const here = new URL(request.url).pathname.startsWith('/help') ? '/help' : '/contact_us';
  if (outcome.waits) {
    const { email } = message;
    const [title, body] = ['contact.confirm.sent', 'contact.confirm.sentBody'] as const;
    return redirectWithToast(here, { type: 'info', title, body, values: { email } });
  }
  return redirectWithToast(here, { type: 'success', title: 'messages.messageSent' });
}

function ContactForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const { known, captcha: widget } = loaderData;
  const [form, fields] = useForm<z.input<typeof ContactSchema>>({
    id: 'contact',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
    defaultValue: { name: known?.name ?? '', email: known?.email ?? '' },
  });
  return (
    <Form className="stack" method="post" {...form.props}>
      <FormErrors id={form.errorId} errors={form.errors} />
      <Field field={fields.name} label={t('contact.name')} autoComplete="name" />
      <Field
        field={fields.email}
        label={t('contact.email')}
        hint={t('contact.emailHint')}
        type="email"
        autoComplete="email"
      />
      <TextField
        field={fields.message}
        label={t('contact.message')}
        hint={t('contact.messageHint')}
        rows={8}
      />
      {widget && (
        <>
          <noscript>
            <p>{t('contact.plain')}</p>
          </noscript>
          <Captcha widget={widget} reply={actionData} />
        </>
      )}
      <div className="line">
        <SubmitButton>{t('contact.submit')}</SubmitButton>
      </div>
    </Form>
  );
}

export default function Contact({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <OpenShell>
      <PageHead title={t('contact.title')} lede={t('contact.lede')} />
      <div className="with-aside">
        <Sheet>
          <ContactForm key={loaderData.formKey} loaderData={loaderData} actionData={actionData} />
        </Sheet>
        <aside className="aside sheet sheet__pad muted">
          <LinkedText text="contact.faq" links={{ faq: <Link to="/faq" /> }} />
        </aside>
      </div>
    </OpenShell>
  );
}
