import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { data, Link } from 'react-router';
import { ButtonLink } from '#app/components/button.tsx';
import { Callout } from '#app/components/callout.tsx';
import { Code } from '#app/components/code.tsx';
import { useErrorText } from '#app/components/field.tsx';
import { useTimeText } from '#app/components/local-time.tsx';
import { OpenShell } from '#app/components/open-shell.tsx';
import { PageHead } from '#app/components/page-head.tsx';
import { Sheet } from '#app/components/sheet.tsx';
import { accountContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit, tooManyWords } from '#app/services/form-reply.server.ts';
import { waitSeconds } from '#app/services/rate-limits.server.ts';
import { issueExtensionCode } from '#domain/account/issue-extension-code.ts';
import type { Route } from './+types/code.ts';

/** A code is a secret of minutes: no cache keeps the page, not even the browser's way back. */
export const headers = ({ loaderHeaders }: Route.HeadersArgs) => {
  const own = new Headers(loaderHeaders);
  own.set('Cache-Control', 'no-store');
  return own;
};

const nothing = { name: null, code: null, expiresAtMs: 0, lifetimeMs: 0, error: null };

/** Issues a code for who is signed in. Every look at the page shows a new one and ends the one before. */
export async function loader({ context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  if (!account) return data(nothing);
  const wait = await waitSeconds('extensionCodeByAccount', account.id);
  if (wait > 0) return data({ ...nothing, name: account.name, error: tooManyWords(wait) }, tooManyInit(wait));
  const nowMs = await domainNow();
  const { code, expiresAtMs } = await issueExtensionCode(await database(), { userId: account.id }, nowMs);
  return data({ ...nothing, name: account.name, code, expiresAtMs, lifetimeMs: expiresAtMs - nowMs });
}

/** A page that renews itself, because a message came or the time zone is known, must not end the code it shows. */
export const shouldRevalidate = () => false;

/** Whether so much time went by since the page was shown. */
function useElapsed(ms: number): boolean {
  const [elapsed, setElapsed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return elapsed;
}

function ShownCode({
  code,
  expiresAtMs,
  lifetimeMs,
}: {
  code: string;
  expiresAtMs: number;
  lifetimeMs: number;
}) {
  const { t } = useTranslation();
  const timeText = useTimeText();
  const expired = useElapsed(lifetimeMs);
  const lifetime = { count: Math.round(lifetimeMs / 60_000), time: timeText(expiresAtMs, 'time') };
  return (
    <Sheet title={t('extension.code.label')}>
      {expired ? (
        <Callout type="warning">
          <p>{t('extension.code.expired')}</p>
        </Callout>
      ) : (
        <>
          <Code big>{code}</Code>
          <p suppressHydrationWarning>{t('extension.code.lifetime', lifetime)}</p>
        </>
      )}
      <p className="muted">{t('extension.code.warning')}</p>
      <p className="muted">
        {t('extension.code.tokens')} <Link to="/settings#tokens">{t('extension.code.toSettings')}</Link>
      </p>
      <div className="line">
        <ButtonLink to="/extension/code" reloadDocument icon={KeyRound}>
          {t('extension.code.another')}
        </ButtonLink>
      </div>
    </Sheet>
  );
}

function SignInFirst() {
  const { t } = useTranslation();
  return (
    <Sheet>
      <p>{t('extension.code.signInFirst')}</p>
      <div className="line">
        <ButtonLink kind="primary" to="/auth/signin?to=/extension/code">
          {t('extension.code.signIn')}
        </ButtonLink>
        <ButtonLink kind="quiet" to="/auth/signup">
          {t('extension.code.signUp')}
        </ButtonLink>
      </div>
    </Sheet>
  );
}

export default function ExtensionCode({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { name, code, error, expiresAtMs, lifetimeMs } = loaderData;
  return (
    <OpenShell>
      <div className="confirm stack">
        <PageHead
          title={t('extension.code.title')}
          lede={name === null ? undefined : t('extension.code.lede', { name })}
        />
        {error && (
          <Callout type="danger">
            <p>{errorText(error)}</p>
          </Callout>
        )}
        {code && <ShownCode code={code} expiresAtMs={expiresAtMs} lifetimeMs={lifetimeMs} />}
        {name === null && <SignInFirst />}
      </div>
    </OpenShell>
  );
}
