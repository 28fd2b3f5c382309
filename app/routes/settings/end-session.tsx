import { data } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { browserName } from '#domain/identity/session/browser-name.ts';
import { signOutElsewhere } from '#domain/identity/session/end-session.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import type { Route } from './+types/end-session.ts';
import { useEndQuestion } from './sessions.tsx';

export async function loader({ request, params, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const currentToken = await sessionToken(request);
  const sessions = await listSessions(await database(), { userId, currentToken }, await domainNow());
  const session = sessions.find(({ id, current }) => id === params.id && !current);
  if (!session) throw data(null, { status: 404 });
  return browserName(session.userAgent);
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const currentToken = (await sessionToken(request)) ?? '';
  const outcome = await signOutElsewhere(await database(), { userId, currentToken, sessionId: params.id });
  if (!outcome.ok) throw data(null, { status: 404 });
  return redirectWithToast('/settings', { type: 'success', title: 'settings.sessions.ended' });
}

export default function EndSession({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const question = useEndQuestion();
  return (
    <ConfirmPage
      {...question(loaderData)}
      back="/settings"
      above={[{ to: '/settings', label: t('settings.title') }]}
      crumb={t('settings.sessions.act')}
    />
  );
}
