import { data, redirect } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { AffectedItems } from '#app/components/items/affected-items.tsx';
import { pictureOf, useItemMeta } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { Unavailable } from '#app/components/lists/list-states.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { claimRefusals } from '#app/services/trading-refusals.server.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { claimReward } from '#domain/reward/claim-reward.ts';
import { hasTimedOut } from '#domain/reward/claim-window.ts';
import { getMyReward, type MyReward } from '#domain/reward/list-my-rewards.ts';
import type { Route } from './+types/claim.ts';
import { useClaimQuestion } from './claim-button.tsx';

/** The page twin of the confirmation. A reward that is already claimed redirects to its progress. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const found = await orUnavailable(context, async () => ({
    reward: await getMyReward(await database(), { rewardId: params.id, userId }),
  }));
  if (!found) return data({ reward: null, error: null }, { status: 503 });
  const { reward } = found;
  if (!reward) throw data(null, { status: 404 });
  if (reward.state === 'reserved') throw redirect('/rewardProgress');
  const code = reward.state === 'claimed' ? 'alreadyClaimed' : (await isLate(reward)) ? 'timedOut' : null;
  return data({ reward, error: code && claimRefusals[code].key });
}

async function isLate({ state, claimUntilMs }: Pick<MyReward, 'state' | 'claimUntilMs'>): Promise<boolean> {
  if (state !== 'promised') return true;
  const outageMs = await getOutageMs((await database()).read, Date.now());
  return hasTimedOut(claimUntilMs, await domainNow(), outageMs);
}

/** Claims a promised reward. Claiming twice answers the same. */
export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const outcome = await claimReward(await database(), { rewardId: params.id, userId }, await domainNow());
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    const { status, key } = claimRefusals[outcome.code];
    return data({ error: key }, { status });
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
  const meta = useItemMeta();
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
      impossible={loaderData.error !== null}
    >
      <AffectedItems>
        <ItemLine {...pictureOf(reward.item)} name={reward.item.name} meta={meta(reward.item)} />
      </AffectedItems>
      <Callout>
        <p>{t('transfers.neverAsks')}</p>
      </Callout>
    </ConfirmPage>
  );
}
