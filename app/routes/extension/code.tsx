import { useEffect, useState } from 'react';
import { data, Form } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { useLastAnswer } from '#app/components/forms/last-answer.ts';
import { KeyRound } from '#app/components/icons/signs.ts';
import { Link } from '#app/components/shell/link.tsx';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { secretHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { refuseUnverified, requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit, tooManyText } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { longestWait } from '#app/services/limits/rate-limits.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { issueExtensionCode } from '#domain/identity/access/issue-extension-code.ts';
import type { Route } from './+types/code.ts';

export const headers = secretHeaders;

/** Opening the page changes nothing, so a prefetch invalidates no code. */
export function loader({ context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  refuseUnverified(account);
  return { name: account?.name ?? null };
}

/** Issues a code for the signed-in user and shows it once. The previous code becomes invalid. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  requireConfirmed(context, '/extension/code');
  const address = context.get(clientAddressContext);
  const wait = await longestWait({ extensionCodeByAddress: address, extensionCodeByAccount: userId });
  if (wait > 0) return data({ issued: null, error: tooManyText(wait) }, tooManyInit(wait));
  const nowMs = await domainNow();
  const currentToken = (await sessionToken(request)) ?? '';
  const issued = await issueExtensionCode(await database(), { userId, currentToken }, nowMs);
  if (!issued.ok) {
    const { status, key } = accountRefusals[issued.code];
    return data({ issued: null, error: key }, { status });
  }
  const { code, expiresAtMs } = issued;
  return data({ issued: { code, expiresAtMs, lifetimeMs: expiresAtMs - nowMs }, error: null });
}

/** Returns whether this much time has passed since the page was shown. */
function useElapsed(ms: number): boolean {
  const [elapsed, setElapsed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return elapsed;
}

interface IssuedCode {
  code: string;
  expiresAtMs: number;
  lifetimeMs: number;
}

function ShownCode({ code, expiresAtMs, lifetimeMs }: IssuedCode) {
  const { t } = useTranslation();
  const timeText = useTimeText();
  const expired = useElapsed(lifetimeMs);
  const lifetime = { count: Math.round(lifetimeMs / 60_000), time: timeText(expiresAtMs, 'time') };
  if (expired) {
    return (
      <Callout type="warning">
        <p>{t('extension.code.expired')}</p>
      </Callout>
    );
  }
  return (
    <>
      <Code big>{code}</Code>
      <p suppressHydrationWarning>{t('extension.code.lifetime', lifetime)}</p>
    </>
  );
}

/** The code, if one was just issued, and the button that issues the next. */
function CodeSheet({ issued }: { issued: IssuedCode | null }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('extension.code.label')}>
      {issued && <ShownCode key={issued.code} {...issued} />}
      <p className="muted">{t('extension.code.warning')}</p>
      <p className="muted">
        {t('extension.code.tokens')} <Link to="/settings#tokens">{t('extension.code.toSettings')}</Link>
      </p>
      <Form method="post">
        <SubmitButton kind={issued ? 'secondary' : 'primary'} icon={KeyRound}>
          {issued ? t('extension.code.another') : t('extension.code.show')}
        </SubmitButton>
      </Form>
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

export default function ExtensionCode({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { name } = loaderData;
  const answer = useLastAnswer(actionData);
  return (
    <OpenShell>
      <div className="confirm stack">
        <PageHead
          title={t('extension.code.title')}
          lede={name === null ? undefined : t('extension.code.lede', { name })}
        />
        {answer?.error && (
          <Callout type="danger">
            <p>
              <ErrorText error={answer.error} />
            </p>
          </Callout>
        )}
        {name === null ? <SignInFirst /> : <CodeSheet issued={answer?.issued ?? null} />}
      </div>
    </OpenShell>
  );
}
