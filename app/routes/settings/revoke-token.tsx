import { data } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { listApiTokens } from '#domain/identity/access/list-api-tokens.ts';
import { revokeApiToken } from '#domain/identity/access/revoke-api-token.ts';
import type { Route } from './+types/revoke-token.ts';
import { useRevokeQuestion } from './api-tokens.tsx';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const tokens = await listApiTokens(await database(), { userId });
  const token = tokens.find(({ id }) => id === params.id);
  if (!token) throw data(null, { status: 404 });
  return { name: token.name };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const outcome = await revokeApiToken(await database(), { userId, tokenId: params.id });
  if (!outcome.ok) throw data(null, { status: 404 });
  return redirectWithToast('/settings', { type: 'success', title: 'settings.tokens.revoked' });
}

export default function RevokeToken({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const question = useRevokeQuestion();
  return (
    <ConfirmPage
      {...question(loaderData)}
      back="/settings"
      above={[{ to: '/settings', label: t('settings.title') }]}
      crumb={t('settings.tokens.act')}
    />
  );
}
