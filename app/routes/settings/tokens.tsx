import { parseWithZod } from '@conform-to/zod/v4';
import { data } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { useLastAnswer } from '#app/components/forms/last-answer.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { ApiTokenSchema, tokenConstraint } from '#app/routes/settings/api-token-form.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { replyInvalid, replyRefused } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { listApiTokens } from '#domain/identity/access/list-api-tokens.ts';
import type { Route } from './+types/tokens.ts';
import { ApiTokenForm, ApiTokens } from './api-tokens.tsx';

/** The page that shows a token is never cached, not even for the browser's back button. */
export const headers = () => ({ 'Cache-Control': 'no-store' });

/** `name` comes back in the address when the owner was asked to confirm who they are. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const name = new URL(request.url).searchParams.get('name') ?? '';
  return { tokens: await listApiTokens(await database(), { userId }), constraint: tokenConstraint, name };
}

/** Issues a token and shows it once. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const submission = parseWithZod(await request.formData(), { schema: ApiTokenSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const { name } = submission.value;
  requireConfirmed(context, `/settings/tokens?${new URLSearchParams({ name })}`);
  const currentToken = (await sessionToken(request)) ?? '';
  const outcome = await issueApiToken(await database(), { userId, name, currentToken }, await domainNow());
  if (!outcome.ok) return replyRefused(submission, accountRefusals[outcome.code]);
  return data({ result: null, issued: { name, token: outcome.token } });
}

function Issued({ name, token }: { name: string; token: string }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('settings.tokens.value')}>
      <Callout type="success" title={t('settings.tokens.issued', { name })}>
        <p>{t('settings.tokens.once')}</p>
      </Callout>
      <Code>{token}</Code>
      <div className="line">
        <ButtonLink to="/settings#tokens">{t('settings.tokens.back')}</ButtonLink>
      </div>
    </Sheet>
  );
}

export default function Tokens({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const answer = useLastAnswer(actionData);
  const issued = answer && 'issued' in answer ? answer.issued : null;
  return (
    <>
      <PageHead
        title={t('settings.tokens.title')}
        above={[{ to: '/settings', label: t('settings.title') }]}
      />
      <div className="stack">
        {issued && <Issued {...issued} />}
        <ApiTokens tokens={loaderData.tokens}>
          {!issued && (
            <ApiTokenForm
              constraint={loaderData.constraint}
              lastResult={answer?.result}
              name={loaderData.name}
            />
          )}
        </ApiTokens>
      </div>
    </>
  );
}
