import { data } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { dismissGuest } from '#domain/audience/dismiss-guest.ts';
import { listGuests } from '#domain/channel/list-guests.ts';
import type { Route } from './+types/dismiss-guest.ts';
import { useDismissQuestion, useNamed } from './guest-table.tsx';

async function guestOf({ twitch }: Account, guestId: string) {
  const guests = twitch ? await listGuests(await database(), { channelId: twitch.id }) : [];
  const guest = guests.find(({ userId }) => userId === guestId);
  if (!guest) throw data(null, { status: 404 });
  return guest;
}

export async function loader({ params, context }: Route.LoaderArgs) {
  const { name, rules } = await guestOf(await requireVerifiedAccount(context), params.id);
  return { guest: { name, rules } };
}

export async function action({ params, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  const { name } = await guestOf(account, params.id);
  const asked = { userId: account.id, guestId: params.id };
  const outcome = await dismissGuest(await database(), asked, await domainNow());
  if (!outcome.ok) throw data(null, { status: 404 });
  return redirectWithToast('/channel/guests', {
    type: 'success',
    ...(name === null
      ? { title: 'guests.dismissedUnlinked' }
      : { title: 'guests.dismissed', values: { name } }),
  });
}

export default function DismissGuest({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const question = useDismissQuestion();
  const named = useNamed();
  return (
    <ConfirmPage
      {...question(named(loaderData.guest))}
      back="/channel/guests"
      above={[
        { to: '/channel', label: t('channel.title') },
        { to: '/channel/guests', label: t('guests.title') },
      ]}
      crumb={t('guests.act')}
    />
  );
}
