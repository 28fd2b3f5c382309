import { parseWithZod } from '@conform-to/zod/v4';
import { data, Form } from 'react-router';
import { Code } from '#app/components/feedback/code.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { useLastAnswer } from '#app/components/forms/last-answer.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { secretHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { type QrCode, qrCodeOf } from '#app/routes/account/qr-code.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { replyInvalid } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import {
  CodeSchema,
  codeConstraint,
  proveWithinLimits,
  replyUnproven,
} from '#app/services/sign-in/proof-form.server.ts';
import { cookieHeaders, renewSession, sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { findSetup } from '#domain/identity/second-factor/begin-authenticator.ts';
import { enableAuthenticator } from '#domain/identity/second-factor/enable-authenticator.ts';
import { getSecondFactor } from '#domain/identity/second-factor/get-second-factor.ts';
import { totpUri } from '#domain/identity/second-factor/totp.ts';
import type { Route } from './+types/authenticator.ts';
import { RecoveryCodeList } from './recovery-code-list.tsx';

const page = '/profile/second-factor/app';
const overview = '/profile/second-factor';

export const headers = secretHeaders;

/** The name of this site in an app, next to those of other sites. */
const issuer = () => `Keepsake (${config().publicUrl.hostname})`;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, email } = await requireVerifiedAccount(context);
  const db = await database();
  const { authenticatorAtMs } = await getSecondFactor(db.read, { userId });
  const constraint = codeConstraint;
  // Its answer with the recovery codes is shown although the page is over.
  if (authenticatorAtMs !== null) return { isOn: true, setup: null, constraint };
  requireConfirmed(context, page);
  const currentToken = (await sessionToken(request)) ?? '';
  const found = await findSetup(db.read, { userId, currentToken }, await domainNow());
  const setup = found && {
    key: (found.secret.match(/.{1,4}/g) ?? []).join(' '),
    qrCode: qrCodeOf(totpUri(found.secret, { issuer: issuer(), account: email })),
  };
  return { isOn: false, setup, constraint };
}

/** Turns the app on, and shows the recovery codes once. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  requireConfirmed(context, page);
  const submission = parseWithZod(await request.formData(), { schema: CodeSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const proof = submission.value;
  const change = { userId, ...proof, currentToken: (await sessionToken(request)) ?? '' };
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const db = await database();
  const outcome = await proveWithinLimits({ userId, proof }, context.get(clientAddressContext), () =>
    enableAuthenticator(db, change, times),
  );
  if (!outcome.ok) {
    if (outcome.code !== 'setupUnknown' && outcome.code !== 'sessionUnknown')
      return replyUnproven({ submission, proof }, outcome);
    return redirectWithToast(overview, { type: 'info', title: accountRefusals[outcome.code].key });
  }
  // This browser gets a new token too, so that a copy of the old one ends with the others.
  const headers = cookieHeaders(await renewSession(request, { userId, isProof: true }));
  if (outcome.recoveryCodes) return data({ result: null, recoveryCodes: outcome.recoveryCodes }, { headers });
  return redirectWithToast(overview, { type: 'success', title: 'secondFactor.setup.done' }, headers);
}

function QrPicture({ qrCode: { size, path } }: { qrCode: QrCode }) {
  const { t } = useTranslation();
  return (
    <svg
      className="qr-code"
      role="img"
      aria-label={t('secondFactor.setup.picture')}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}

function Begin() {
  const { t } = useTranslation();
  const action = `${overview}/begin`;
  return (
    <Form className="stack" method="post" action={action}>
      <p>{t('secondFactor.setup.before')}</p>
      <div className="line">
        <SubmitButton formAction={action}>{t('secondFactor.setup.begin')}</SubmitButton>
      </div>
    </Form>
  );
}

function AlreadyOn() {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('secondFactor.setup.done')}</p>
      <div className="line">
        <ButtonLink to={overview}>{t('secondFactor.manage')}</ButtonLink>
      </div>
    </>
  );
}

function Enable({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ code: string }>({
    id: 'authenticator',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  const { isOn, setup } = loaderData;
  if (isOn) return <AlreadyOn />;
  if (!setup) return <Begin />;
  return (
    <>
      <p>{t('secondFactor.setup.scan')}</p>
      <QrPicture qrCode={setup.qrCode} />
      <p>{t('secondFactor.setup.key')}</p>
      <Code>{setup.key}</Code>
      <Form className="stack" method="post" {...form.props}>
        <FormErrors id={form.errorId} errors={form.errors} />
        <Field
          field={fields.code}
          label={t('secondFactor.setup.code')}
          hint={t('secondFactor.setup.codeHint')}
          autoComplete="one-time-code"
          inputMode="numeric"
        />
        <p className="s13 muted">{t('secondFactor.setup.effect')}</p>
        <div className="line">
          <SubmitButton>{t('secondFactor.setup.submit')}</SubmitButton>
        </div>
      </Form>
    </>
  );
}

export default function Authenticator({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const answer = useLastAnswer(actionData);
  const codes = answer && 'recoveryCodes' in answer ? answer.recoveryCodes : null;
  return (
    <>
      <PageHead
        title={t('secondFactor.setup.title')}
        above={[
          { to: '/profile', label: t('profile.title') },
          { to: overview, label: t('secondFactor.title') },
        ]}
      />
      {codes ? (
        <RecoveryCodeList title={t('secondFactor.setup.done')} codes={codes} />
      ) : (
        <Sheet title={t('secondFactor.app.title')}>
          <Enable loaderData={loaderData} actionData={answer} />
        </Sheet>
      )}
    </>
  );
}
