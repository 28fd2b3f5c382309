import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { Users } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, twitchLoginField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused } from '#app/services/forms/form-reply.server.ts';
import { admitRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { admitGuest } from '#domain/audience/admit-guest.ts';
import { listGuests } from '#domain/channel/list-guests.ts';
import type { Route } from './+types/guests.ts';
import { GuestTable } from './guest-table.tsx';

const AdmitSchema = z.object({ login: twitchLoginField });

export async function loader({ context }: Route.LoaderArgs) {
  const { twitch } = await requireVerifiedAccount(context);
  const guests = twitch && (await listGuests(await database(), { channelId: twitch.id }));
  return { guests, constraint: constraintOf(AdmitSchema) };
}

/** Admits a streamer to the broadcaster's channel. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const submission = parseWithZod(await request.formData(), { schema: AdmitSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const asked = { userId, login: submission.value.login };
  const outcome = await admitGuest(await database(), asked, await domainNow());
  if (!outcome.ok) return replyRefused(submission, admitRefusals[outcome.code], 'login');
  return redirectWithToast('/channel/guests', {
    type: 'success',
    title: 'guests.admitted',
    values: { name: outcome.name },
  });
}

function AdmitForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ login: string }>({
    id: 'admit',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <Sheet title={t('guests.admitTitle')}>
      <Form className="stack" method="post" {...form.props}>
        <FormErrors id={form.errorId} errors={form.errors} />
        <Field
          field={fields.login}
          label={t('guests.login')}
          hint={t('guests.loginHint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <div className="line">
          <SubmitButton>{t('guests.admit')}</SubmitButton>
        </div>
      </Form>
    </Sheet>
  );
}

export default function Guests({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { guests } = loaderData;
  return (
    <>
      <PageHead
        title={t('guests.title')}
        lede={t('guests.lede')}
        above={[{ to: '/channel', label: t('channel.title') }]}
      />
      {guests === null ? (
        <EmptyState
          icon={Users}
          title={t('guests.noTwitchTitle')}
          action={<ButtonLink to="/profile">{t('items.inventory.connect')}</ButtonLink>}
        >
          {t('guests.noTwitch')}
        </EmptyState>
      ) : (
        <div className="stack stack-12">
          {guests.length === 0 ? (
            <EmptyState icon={Users} title={t('guests.emptyTitle')}>
              {t('guests.empty')}
            </EmptyState>
          ) : (
            <div className="sheet">
              <GuestTable guests={guests} />
            </div>
          )}
          {/* Emptied for the next one when somebody was admitted. */}
          <AdmitForm key={guests.length} loaderData={loaderData} actionData={actionData} />
        </div>
      )}
    </>
  );
}
