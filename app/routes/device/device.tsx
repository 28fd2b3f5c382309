import { data, Form } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { Button, ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText, Field } from '#app/components/forms/field.tsx';
import { useLastAnswer } from '#app/components/forms/last-answer.ts';
import { Link } from '#app/components/shell/link.tsx';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
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
import { shownUserCode } from '#domain/identity/access/access-request.ts';
import {
  decideAccessRequest,
  findAccessRequest,
  type OpenAccessRequest,
} from '#domain/identity/access/decide-access-request.ts';
import type { Route } from './+types/device.ts';

export const headers = secretHeaders;

const MAX_CODE_LENGTH = 40;
const pageFor = (userCode: string) => `/device?${new URLSearchParams({ user_code: userCode })}`;
const codeIn = (value: unknown) => String(value ?? '').slice(0, MAX_CODE_LENGTH);

/** Opening the page looks nothing up and decides nothing: an address with a code in it, and nothing else, fills the field. */
export function loader({ request, context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  refuseUnverified(account);
  const userCode = shownUserCode(codeIn(new URL(request.url).searchParams.get('user_code'))) ?? '';
  return { name: account?.name ?? null, userCode, signIn: signInFor(userCode) };
}

const signInFor = (userCode: string) =>
  `/auth/signin?${new URLSearchParams({ to: userCode === '' ? '/device' : pageFor(userCode) })}`;

const nothing = { found: null, decided: null, error: null, isFull: false, entered: '' };

/**
 * Finds the program that waits with this code, and shows the code once more to be compared, however it came here (RFC 8628,
 * 5.4); with `decision`, allows or refuses it.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const userCode = codeIn(form.get('user_code'));
  requireConfirmed(context, pageFor(userCode));
  const address = context.get(clientAddressContext);
  const wait = await longestWait({ userCodeByAddress: address, userCodeByAccount: userId });
  if (wait > 0) return data({ ...nothing, entered: userCode, error: tooManyText(wait) }, tooManyInit(wait));
  const [db, nowMs] = [await database(), await domainNow()];
  const refusal = (code: keyof typeof accountRefusals) => {
    const { key: error, status } = accountRefusals[code];
    return data({ ...nothing, entered: userCode, error, isFull: code === 'tooManyTokens' }, { status });
  };
  const decision = form.get('decision');
  if (decision === null) {
    const found = await findAccessRequest(db.read, { userCode }, nowMs);
    return found ? data({ ...nothing, found }) : refusal('accessRequestUnknown');
  }
  const isAllowed = decision === 'allow';
  const currentToken = (await sessionToken(request)) ?? '';
  const decided = await decideAccessRequest(db, { userId, userCode, isAllowed, currentToken }, nowMs);
  return decided.ok
    ? data({ ...nothing, decided: isAllowed ? ('allowed' as const) : ('refused' as const) })
    : refusal(decided.code);
}

/** Moves the focus to what an answer has changed, where a reader of the screen goes on. */
const focusOn = (element: HTMLElement | null): void => element?.focus();

function Compare({ program, createdAtMs, userCode }: OpenAccessRequest) {
  const { t } = useTranslation();
  const title = (
    <span ref={focusOn} tabIndex={-1}>
      {t('device.compare')}
    </span>
  );
  return (
    <Sheet title={title}>
      <Code big>{userCode}</Code>
      <p>{t('device.program', { program })}</p>
      <p className="muted">
        {t('device.asked')} <LocalTime ms={createdAtMs} />
      </p>
      <Callout type="warning">
        <p>{t('device.warning')}</p>
      </Callout>
      <p className="muted">
        {t('device.power')} <Link to="/settings#tokens">{t('extension.code.toSettings')}</Link>
      </p>
      <Form method="post" className="line">
        <input type="hidden" name="user_code" value={userCode} />
        <SubmitButton name="decision" value="allow">
          {t('device.allow')}
        </SubmitButton>
        <Button kind="secondary" name="decision" value="refuse">
          {t('device.refuse')}
        </Button>
      </Form>
    </Sheet>
  );
}

function EnterCode({ userCode, error }: { userCode: string; error: string | null }) {
  const { t } = useTranslation();
  const errors = error === null ? undefined : [error];
  const field = {
    ...{ id: 'user_code', name: 'user_code', errors, initialValue: userCode },
    ...{ errorId: 'user_code-error', descriptionId: 'user_code-hint' },
    ...{ required: true, maxLength: MAX_CODE_LENGTH },
  };
  return (
    <Sheet>
      <Form method="post" className="stack">
        <Field
          field={field}
          ref={error === null ? null : focusOn}
          label={t('device.code')}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
        <div className="line">
          <SubmitButton>{t('device.next')}</SubmitButton>
        </div>
      </Form>
    </Sheet>
  );
}

function SignInFirst({ to }: { to: string }) {
  const { t } = useTranslation();
  return (
    <Sheet>
      <p>{t('device.signInFirst')}</p>
      <div className="line">
        <ButtonLink kind="primary" to={to}>
          {t('extension.code.signIn')}
        </ButtonLink>
      </div>
    </Sheet>
  );
}

/** An account with as many tokens as it can have: another code would not help. */
function Full({ error }: { error: string }) {
  const { t } = useTranslation();
  return (
    <Callout type="danger">
      <p>
        <ErrorText error={error} /> <Link to="/settings#tokens">{t('extension.code.toSettings')}</Link>
      </p>
    </Callout>
  );
}

type Answer = Route.ComponentProps['actionData'];

/** The steps of somebody signed in: a code, the comparison, and what was decided. */
function Steps({ userCode, actionData }: { userCode: string; actionData: Answer }) {
  const { t } = useTranslation();
  const { found, decided, error, isFull, entered } = useLastAnswer(actionData) ?? nothing;
  const isEntering = !found && !decided;
  return (
    <>
      {isFull && error && <Full error={error} />}
      {found && <Compare key={found.userCode} {...found} />}
      {isEntering && <EnterCode userCode={entered || userCode} error={isFull ? null : error} />}
      <div role="status">
        {decided && (
          <Callout type={decided === 'allowed' ? 'success' : 'info'}>
            <p>{t(`device.${decided}`)}</p>
          </Callout>
        )}
      </div>
    </>
  );
}

export default function Device({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { name, userCode, signIn } = loaderData;
  return (
    <OpenShell>
      <div className="confirm stack">
        <PageHead title={t('device.title')} lede={name === null ? undefined : t('device.lede', { name })} />
        {name === null ? (
          <SignInFirst to={signIn} />
        ) : (
          <Steps key={userCode} userCode={userCode} actionData={actionData} />
        )}
      </div>
    </OpenShell>
  );
}
