import { redirect } from 'react-router';
import { AffectedList, ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { browserName } from '#domain/identity/session/browser-name.ts';
import { signOutElsewhere } from '#domain/identity/session/end-session.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import type { Route } from './+types/end-other-sessions.ts';
import { useBrowserName, useEndAllQuestion } from './sessions.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const currentToken = await sessionToken(request);
  const sessions = await listSessions(await database(), { userId, currentToken }, await domainNow());
  const others = sessions.filter(({ current }) => !current);
  if (others.length === 0) throw redirect('/settings');
  return others.map(({ id, userAgent, lastSeenAtMs }) => ({ id, lastSeenAtMs, ...browserName(userAgent) }));
}

export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const currentToken = (await sessionToken(request)) ?? '';
  await signOutElsewhere(await database(), { userId, currentToken });
  return redirectWithToast('/settings', { type: 'success', title: 'settings.sessions.endedAll' });
}

export default function EndOtherSessions({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const question = useEndAllQuestion();
  const nameOf = useBrowserName();
  return (
    <ConfirmPage
      {...question(loaderData.length)}
      back="/settings"
      above={[{ to: '/settings', label: t('settings.title') }]}
    >
      <AffectedList
        rows={loaderData.map((session) => ({
          key: session.id,
          label: nameOf(session),
          value: <LocalTime ms={session.lastSeenAtMs} />,
        }))}
      />
    </ConfirmPage>
  );
}
