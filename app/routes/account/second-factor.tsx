import { Badge } from '#app/components/feedback/badge.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { CircleCheck, Lock } from '#app/components/icons/signs.ts';
import { Table } from '#app/components/lists/table.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { passkeySite } from '#app/services/sign-in/passkey-site.server.ts';
import { getSecondFactor, type ListedPasskey } from '#domain/identity/second-factor/get-second-factor.ts';
import type { Route } from './+types/second-factor.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const factor = await getSecondFactor((await database()).read, { userId });
  return { ...factor, canAddPasskey: passkeySite() !== null };
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

function PasskeyTable({ passkeys }: { passkeys: readonly ListedPasskey[] }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t('secondFactor.passkeys.title')}
      rows={passkeys}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', label: t('secondFactor.passkeys.name'), cell: ({ name }) => name },
        {
          key: 'added',
          label: t('secondFactor.passkeys.added'),
          cell: ({ createdAtMs }) => <LocalTime ms={createdAtMs} />,
        },
        {
          key: 'used',
          label: t('secondFactor.passkeys.lastUsed'),
          cell: ({ lastUsedAtMs }) =>
            lastUsedAtMs === null ? t('secondFactor.passkeys.never') : <LocalTime ms={lastUsedAtMs} />,
        },
        {
          key: 'remove',
          label: t('secondFactor.passkeys.remove'),
          unnamed: true,
          cell: ({ id, name }) => (
            <ButtonLink
              kind="danger"
              size="small"
              to={`/profile/second-factor/passkeys/${id}/remove`}
              aria-label={t('secondFactor.passkeys.removeNamed', { name })}
            >
              {t('secondFactor.passkeys.remove')}
            </ButtonLink>
          ),
        },
      ]}
    />
  );
}

function Passkeys({ passkeys, canAdd }: { passkeys: readonly ListedPasskey[]; canAdd: boolean }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('secondFactor.passkeys.title')}>
      <p className="muted">{t('secondFactor.passkeys.text')}</p>
      {passkeys.length > 0 ? <PasskeyTable passkeys={passkeys} /> : <p>{t('secondFactor.passkeys.none')}</p>}
      {canAdd && (
        <div className="line">
          <ButtonLink to="/profile/second-factor/passkeys/new">{t('secondFactor.passkeys.add')}</ButtonLink>
        </div>
      )}
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
  const { authenticatorAtMs, passkeys, recoveryCodesLeft, canAddPasskey } = loaderData;
  const isOn = authenticatorAtMs !== null || passkeys.length > 0;
  return (
    <>
      <PageHead
        title={t('secondFactor.title')}
        lede={t('secondFactor.text')}
        above={[{ to: '/profile', label: t('profile.title') }]}
      />
      <div className="stack">
        <Authenticator sinceMs={authenticatorAtMs} />
        {(canAddPasskey || passkeys.length > 0) && <Passkeys passkeys={passkeys} canAdd={canAddPasskey} />}
        {isOn && <RecoveryCodes left={recoveryCodesLeft} />}
      </div>
    </>
  );
}
