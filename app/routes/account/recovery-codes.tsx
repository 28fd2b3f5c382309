import { redirect, type ShouldRevalidateFunctionArgs } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useLastAnswer } from '#app/components/forms/last-answer.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { renewRecoveryCodes } from '#domain/identity/second-factor/renew-recovery-codes.ts';
import type { Route } from './+types/recovery-codes.ts';
import { RecoveryCodeList } from './recovery-code-list.tsx';

const page = '/profile/second-factor/recovery-codes';
const overview = '/profile/second-factor';

/** The page that shows codes is never cached, not even for the browser's back button. */
export const headers = () => ({ 'Cache-Control': 'no-store' });

/** New codes stay on the page even if the confirmation of this session ends meanwhile. */
export const shouldRevalidate = ({ actionResult, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  defaultShouldRevalidate && !actionResult?.recoveryCodes;

export async function loader({ context }: Route.LoaderArgs) {
  const { hasSecondFactor } = await requireVerifiedAccount(context);
  if (!hasSecondFactor) throw redirect(overview);
  requireConfirmed(context, page);
  return null;
}

/** Issues new recovery codes and shows them once. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  requireConfirmed(context, page);
  const currentToken = (await sessionToken(request)) ?? '';
  const outcome = await renewRecoveryCodes(await database(), { userId, currentToken }, await domainNow());
  if (outcome.ok) return { recoveryCodes: outcome.recoveryCodes };
  if (outcome.code === 'sessionUnknown') throw redirect('/auth/signin');
  throw await redirectWithToast(overview, { type: 'info', title: accountRefusals[outcome.code].key });
}

export default function RecoveryCodes({ actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const answer = useLastAnswer(actionData);
  const above = [{ to: overview, label: t('secondFactor.title') }];
  if (answer)
    return (
      <>
        <PageHead title={t('secondFactor.codes.title')} above={above} />
        <RecoveryCodeList title={t('secondFactor.codes.renewed')} codes={answer.recoveryCodes} />
      </>
    );
  return (
    <ConfirmPage
      title={t('secondFactor.codes.question')}
      text={t('secondFactor.codes.consequence')}
      act={t('secondFactor.codes.renew')}
      keep={t('secondFactor.codes.keep')}
      back={overview}
      above={above}
    />
  );
}
