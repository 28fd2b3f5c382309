import { Badge } from '#app/components/feedback/badge.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { CircleCheck, Lock } from '#app/components/icons/signs.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { getSecondFactor } from '#domain/account/second-factor/get-second-factor.ts';
import type { Route } from './+types/second-factor.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  return getSecondFactor((await database()).read, { userId });
}

function Authenticator({ sinceMs }: { sinceMs: number | null }) {
  const { t } = useTranslation();
  const timeText = useTimeText();
  const isOn = sinceMs !== null;
  const state = (
    <Badge type={isOn ? 'success' : 'plain'} icon={isOn ? CircleCheck : Lock}>
      {isOn ? t('secondFactor.on') : t('secondFactor.off')}
    </Badge>
  );
  return (
    <Sheet title={t('secondFactor.app.title')} aside={state}>
      <p className="muted">{t('secondFactor.app.text')}</p>
      {isOn && (
        <p suppressHydrationWarning>{t('secondFactor.app.since', { date: timeText(sinceMs, 'date') })}</p>
      )}
      <div className="line">
        {isOn ? (
          <ButtonLink kind="danger" to="/profile/second-factor/off">
            {t('secondFactor.app.remove')}
          </ButtonLink>
        ) : (
          <ButtonLink kind="primary" to="/profile/second-factor/app">
            {t('secondFactor.app.setUp')}
          </ButtonLink>
        )}
      </div>
    </Sheet>
  );
}

function RecoveryCodes({ left }: { left: number }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('secondFactor.codes.title')}>
      <p className="muted">{t('secondFactor.codes.text')}</p>
      <p>{t('secondFactor.codes.left', { count: left })}</p>
      <div className="line">
        <ButtonLink to="/profile/second-factor/recovery-codes">{t('secondFactor.codes.renew')}</ButtonLink>
      </div>
    </Sheet>
  );
}

export default function SecondFactor({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { authenticatorAtMs, recoveryCodesLeft } = loaderData;
  return (
    <>
      <PageHead
        title={t('secondFactor.title')}
        lede={t('secondFactor.text')}
        above={[{ to: '/profile', label: t('profile.title') }]}
      />
      <div className="stack">
        <Authenticator sinceMs={authenticatorAtMs} />
        {authenticatorAtMs !== null && <RecoveryCodes left={recoveryCodesLeft} />}
      </div>
    </>
  );
}
