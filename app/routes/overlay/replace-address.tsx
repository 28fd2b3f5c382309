import { redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { openOverlay, overlayDoors, replaceSecret } from '#domain/overlay/set-overlay.ts';
import type { Route } from './+types/replace-address.ts';

const overview = '/channel/overlay';

const doorIn = (value: unknown) => overlayDoors.find((door) => door === value);

/** The question before an address is replaced: without `door` in the address, that of the overlay. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, twitch, locale } = await requireVerifiedAccount(context);
  if (!twitch) throw redirect(overview);
  const door = doorIn(new URL(request.url).searchParams.get('door')) ?? 'overlay';
  const { hashes } = await openOverlay(await database(), { userId, locale }, await domainNow());
  return { door, replaces: hashes[door] };
}

/** Replaces the secret of an address. A request that comes twice replaces once. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const door = doorIn(form.get('door'));
  if (!door) throw new Response(null, { status: 400 });
  const replaces = String(form.get('replaces') ?? '');
  await replaceSecret(await database(), { userId, door, replaces }, await domainNow());
  return redirectWithToast(overview, { type: 'success', title: 'overlay.replaced' });
}

export default function ReplaceAddress({ loaderData: { door, replaces } }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t(door === 'overlay' ? 'overlay.replaceAddress' : 'overlay.replaceDock')}
      text={t('overlay.replaceText')}
      act={t('overlay.replace')}
      keep={t('overlay.keep')}
      back={overview}
      above={[
        { to: '/channel', label: t('channel.title') },
        { to: overview, label: t('overlay.title') },
      ]}
      fields={{ door, replaces }}
      destructive
    />
  );
}
