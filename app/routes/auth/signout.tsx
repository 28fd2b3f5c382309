import { redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { finishSession } from '#app/services/sign-in/session.server.ts';
import type { Route } from './+types/signout.ts';

export const loader = () => null;

export async function action({ request }: Route.ActionArgs) {
  return redirect('/auth/signin', { headers: { 'Set-Cookie': await finishSession(request) } });
}

export default function SignOut() {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('auth.signout.title')}
      text={t('auth.signout.text')}
      act={t('auth.signout.act')}
      keep={t('auth.signout.keep')}
      back="/dashboard"
      above={[{ to: '/dashboard', label: t('dashboard.title') }]}
    />
  );
}
