import { data, redirect, type ShouldRevalidateFunctionArgs } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { Unavailable } from '#app/components/lists/list-states.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { claimCodeOf } from '#app/routes/progress/claim-code.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { claimRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { checkTradeLink } from '#app/services/items/trade-link-check.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hasTimedOut } from '#domain/reward/claim-window.ts';
import { findNextOffer } from '#domain/reward/find-next-offer.ts';
import { getMyReward, type MyReward } from '#domain/view/list-my-rewards.ts';
import type { Route } from './+types/claim.ts';
import { useClaimQuestion } from './claim-button.tsx';
import { type ClaimOffer, TradeWindow } from './trade-window.tsx';

/** The confirmation page. For a claimed reward it redirects to the progress page. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const { id: userId, steam } = account;
  const asked = { rewardId: params.id, userId };
  const found = await orUnavailable(context, async () => ({
    reward: await getMyReward(await database(), asked),
    offer: await findNextOffer(await database(), asked),
  }));
  if (!found) return data({ reward: null, offer: null, error: null }, { status: 503 });
  const { reward, offer } = found;
  if (!reward) throw data(null, { status: 404 });
  if (reward.state === 'reserved') throw redirect('/rewardProgress');
  const code =
    reward.state === 'claimed'
      ? 'alreadyClaimed'
      : reward.state === 'promised' && reward.frozenAtMs !== null
        ? 'claimFrozen'
        : (await isLate(reward))
          ? 'timedOut'
          : (await domainNow()) < (reward.pausedUntilMs ?? 0)
            ? 'claimPaused'
            : null;
  if (code) return data({ reward, offer: null, error: claimRefusals[code].key });
  const link = offer && steam?.tradeLink ? await checkTradeLink(steam.tradeLink, account, offer.botId) : null;
  const next: ClaimOffer | null = offer && {
    bot: offer.bot,
    code: claimCodeOf(reward.id, offer.lastTransferId),
    // The viewer gives nothing, so only the bot's own account can delay the item.
    holdDays: link?.state === 'alive' ? link.botHoldDays : 0,
  };
  return data({ reward, offer: next, error: null });
}

async function isLate({ state, claimUntilMs }: Pick<MyReward, 'state' | 'claimUntilMs'>): Promise<boolean> {
  if (state !== 'promised') return true;
  const outageMs = await getOutageMs((await database()).read, Date.now());
  return hasTimedOut(claimUntilMs, await domainNow(), outageMs);
}

/**
 * Decides whether to revalidate. A dialog on another page keeps its data: loading it again would ask Steam
 * and, once the reward is claimed, redirect and lose the success message.
 */
export const shouldRevalidate = ({ currentUrl, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  defaultShouldRevalidate && currentUrl.pathname.endsWith('/claim');

/** Claims a promised reward. Claiming twice returns the same result. */
export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const rewardId = params.id;
  const codeAfter = (lastTransferId: string | null) => claimCodeOf(rewardId, lastTransferId);
  const outcome = await claimReward(await database(), { rewardId, userId, codeAfter }, await domainNow());
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    const { status, key, hint } = claimRefusals[outcome.code];
    return data({ error: key, hint }, { status });
  }
  nudgeBot();
  return redirectWithToast('/rewardProgress', {
    type: 'success',
    title: 'progress.claim.done',
    body: 'progress.claim.doneText',
  });
}

export default function Claim({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const question = useClaimQuestion();
  const { reward } = loaderData;
  if (!reward) return <Unavailable title={t('errors.unavailable.rewardClaiming')} />;
  return (
    <ConfirmPage
      {...question(reward)}
      back="/rewardProgress"
      above={[{ to: '/rewardProgress', label: t('progress.title') }]}
      crumb={t('progress.claim.opener')}
      error={actionData?.error ?? loaderData.error ?? undefined}
      hint={actionData?.hint}
      impossible={loaderData.error !== null}
    >
      <TradeWindow reward={reward} offer={loaderData.offer} />
    </ConfirmPage>
  );
}
