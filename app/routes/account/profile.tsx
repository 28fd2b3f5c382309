import { parseWithZod } from '@conform-to/zod/v4';
import { useEffect } from 'react';
import { Form, useFetcher } from 'react-router';
import { z } from 'zod';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink, OutsideLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { CircleCheck, ExternalLink, TriangleAlert } from '#app/components/icons/signs.ts';
import { useSites } from '#app/components/shell/page-context.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { confirmPage, requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { confirmedContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, requiredText } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals, deadTradeLink } from '#app/services/forms/refusals.server.ts';
import { checkTradeLink } from '#app/services/items/trade-link-check.server.ts';
import { placeOf } from '#app/services/sign-in/sign-in-flow.server.ts';
import { canUseTwitch } from '#app/services/sign-in/twitch-sign-in.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { findPendingEmail } from '#domain/identity/email/find-pending-email.ts';
import type { Route } from './+types/profile.ts';
import { SteamLink, TwitchLink } from './connections.tsx';
import { SecondFactorLink } from './second-factor-link.tsx';
import type { loader as tradeLinkLoader } from './trade-link.tsx';
import { TradeReadinessList } from './trade-readiness.tsx';

const tradeLinkPlace = '/profile#trade-link';
const TradeLinkSchema = z.object({ trade_link: requiredText(200), from: z.string().optional() });

export async function loader({ context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const pendingEmail = await findPendingEmail(await database(), { userId: account.id }, await domainNow());
  const confirmFirst =
    account.steam?.tradeLink && !context.get(confirmedContext) ? confirmPage(tradeLinkPlace) : null;
  const constraint = constraintOf(TradeLinkSchema);
  return { account, pendingEmail, constraint, confirmFirst, canUseTwitch: canUseTwitch() };
}

/** Sets the trade link. A user who came from a checklist goes back to it. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  const { id: userId, steam } = account;
  const submission = parseWithZod(await request.formData(), { schema: TradeLinkSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const tradeLink = submission.value.trade_link;
  if (steam?.tradeLink && tradeLink !== steam.tradeLink) requireConfirmed(context, tradeLinkPlace);
  const check = await checkTradeLink(tradeLink, account);
  if (check.state === 'dead') return replyRefused(submission, deadTradeLink, 'trade_link');
  const outcome = await setTradeLink(await database(), { userId, tradeLink }, await domainNow());
  if (!outcome.ok) return replyRefused(submission, accountRefusals[outcome.code], 'trade_link');
  const days = check.state === 'alive' ? check.holdDays : 0;
  return redirectWithToast(await nextPlace(userId, submission.value.from), {
    type: days > 0 ? 'warning' : 'success',
    title: 'messages.tradeLinkUpdated',
    ...(days > 0 && { body: 'profile.tradeLink.held' as const, values: { count: days } }),
  });
}

/** Returns where a checklist goes on: for a streamer with picking the first items, as its button says. */
async function nextPlace(userId: string, from: string | undefined): Promise<string> {
  const picksNext = from === 'streamer' && !(await getReadiness(await database(), { userId })).hasItem;
  return picksNext ? '/items' : placeOf(from);
}

/** A stored trade link. It is only shown at first, because changing it needs a confirmed identity. */
function StoredTradeLink({ tradeLink, confirmFirst }: { tradeLink: string; confirmFirst: string }) {
  const { t } = useTranslation();
  return (
    <div className="stack" id="trade-link">
      <p>
        <code>{tradeLink}</code>
      </p>
      <div className="line">
        <ButtonLink to={confirmFirst}>{t('profile.tradeLink.change')}</ButtonLink>
      </div>
    </div>
  );
}

function TradeLinkForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const [form, fields] = useForm({
    id: 'trade-link',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
    defaultValue: { trade_link: loaderData.account.steam?.tradeLink ?? '' },
  });
  return (
    <Form className="stack" method="post" {...form.props}>
      <FormErrors id={form.errorId} errors={form.errors} />
      <Field
        field={fields.trade_link}
        label={t('profile.tradeLink.label')}
        hint={t('profile.tradeLink.hint')}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://steamcommunity.com/tradeoffer/new/?partner=…&token=…"
      />
      <div className="line">
        <SubmitButton>{t('profile.tradeLink.save')}</SubmitButton>
        <OutsideLink kind="quiet" href={useSites().tradePrivacy} target="_blank" icon={ExternalLink}>
          {t('profile.tradeLink.find')}
        </OutsideLink>
      </div>
    </Form>
  );
}

/** Asks Steam after the page has loaded; without JavaScript, a link leads to the same answer. */
function LiveReadiness({ tradeLink }: { tradeLink: string }) {
  const { t } = useTranslation();
  const { load, data, state } = useFetcher<typeof tradeLinkLoader>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new trade link needs a new answer.
  useEffect(() => {
    void load('/profile/trade-link');
  }, [load, tradeLink]);
  return (
    <div className="ruled stack">
      <h3>{t('identity.readiness.title')}</h3>
      <div aria-live="polite" aria-busy={state !== 'idle'}>
        {data?.readiness && <TradeReadinessList readiness={data.readiness} />}
        {!data && state !== 'idle' && <p className="muted">{t('identity.readiness.checking')}</p>}
      </div>
      <div className="line">
        <ButtonLink to="/profile/trade-link?fresh=1">{t('identity.readiness.check')}</ButtonLink>
      </div>
    </div>
  );
}

export default function Profile({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { account } = loaderData;
  return (
    <>
      <PageHead title={t('profile.title')} />
      <div className="stack">
        <Sheet title={t('profile.account')}>
          <dl className="kv kv--start">
            <dt>{t('profile.name')}</dt>
            <dd>{account.name}</dd>
            <dt>{t('profile.email')}</dt>
            <dd>
              {account.email}{' '}
              <Badge
                type={account.verified ? 'success' : 'warning'}
                icon={account.verified ? CircleCheck : TriangleAlert}
              >
                {account.verified ? t('profile.verified') : t('profile.unverified')}
              </Badge>
            </dd>
          </dl>
          {loaderData.pendingEmail && (
            <Callout type="info">
              <p>{t('identity.email.pending', { email: loaderData.pendingEmail })}</p>
            </Callout>
          )}
          {!account.hasPassword && <p className="muted">{t('profile.password.none')}</p>}
          <div className="line">
            <ButtonLink to="/profile/name">{t('identity.name.change')}</ButtonLink>
            <ButtonLink to="/profile/email">{t('identity.email.change')}</ButtonLink>
            <ButtonLink to="/profile/password">
              {account.hasPassword ? t('profile.password.save') : t('profile.password.set')}
            </ButtonLink>
          </div>
        </Sheet>
        <SecondFactorLink account={account} />
        <TwitchLink
          twitch={account.twitch}
          canUseTwitch={loaderData.canUseTwitch}
          hasPassword={account.hasPassword}
        />
        <SteamLink steam={account.steam} />
        <Sheet title={t('profile.tradeLink.title')}>
          {account.steam ? (
            <>
              {loaderData.confirmFirst && account.steam.tradeLink ? (
                <StoredTradeLink tradeLink={account.steam.tradeLink} confirmFirst={loaderData.confirmFirst} />
              ) : (
                <TradeLinkForm loaderData={loaderData} actionData={actionData} />
              )}
              {account.steam.tradeLink && <LiveReadiness tradeLink={account.steam.tradeLink} />}
            </>
          ) : (
            <p className="muted" id="trade-link">
              {t('profile.tradeLink.needsSteam')}
            </p>
          )}
        </Sheet>
      </div>
    </>
  );
}
