import { data } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { Choice } from '#app/components/forms/choices.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { stopRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { type StopReason, stopReasons } from '#db/schema/reward.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { getGivenReward } from '#domain/view/list-given-rewards.ts';
import { joined } from '#platform/isolated.ts';
import type { Route } from './+types/stop-claim.ts';

const list = '/rules/who-got-what';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const given = await getGivenReward(await database(), { rewardId: params.id, ownerId });
  if (!given) throw data(null, { status: 404 });
  const { id, item, viewer, ruleName } = given;
  return { id, item, viewerName: viewer?.displayName ?? null, ruleName, reasons: stopReasons };
}

/** Stops a promise of one of the owner's rules. Stopping twice answers the same. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const given = (await request.formData()).get('reason');
  const reason = stopReasons.find((each) => each === given);
  const [db, asked] = [await database(), { rewardId: params.id, ownerId }];
  if (!reason) {
    if (!(await getGivenReward(db, asked))) throw data(null, { status: 404 });
    return data({ error: 'given.stop.reasonMissing' }, { status: 400 });
  }
  const outcome = await stopClaim(db, { ...asked, reason }, await domainNow());
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    const { status, key } = stopRefusals[outcome.code];
    return data({ error: key }, { status });
  }
  nudgeBot();
  const title = outcome.stopped ? 'given.stop.done' : 'given.stop.asked';
  return redirectWithToast(`${list}?open=${params.id}`, { type: 'success', title });
}

/** The text about the item, whose fate `endStoppedClaim` decides. */
const itemTexts = {
  accountStolen: 'given.stop.itemBack',
  ruleAbused: 'given.stop.itemOn',
  mistake: 'given.stop.itemBack',
} as const satisfies Record<StopReason, string>;

export default function StopClaim({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { id, item, viewerName, ruleName, reasons } = loaderData;
  return (
    <ConfirmPage
      title={t('given.stop.question')}
      text={t('given.stop.text')}
      act={t('given.stop.act')}
      keep={t('given.stop.keep')}
      back={`${list}?open=${id}`}
      above={[{ to: list, label: t('given.title') }]}
      error={actionData?.error}
      destructive
    >
      <ItemLine
        {...pictureOf(item)}
        name={item.name}
        meta={joined([viewerName ?? t('transfers.formerViewer'), ruleName], ' · ')}
      />
      <fieldset className="stack stack-3">
        <legend className="strong">{t('given.stop.reason')}</legend>
        {reasons.map((reason) => (
          <Choice
            key={reason}
            name="reason"
            value={reason}
            required
            title={t(`rewards.stopReason.${reason}`)}
          >
            {t(itemTexts[reason])}
          </Choice>
        ))}
      </fieldset>
      <p className="s13 muted">{t('given.stop.counted')}</p>
    </ConfirmPage>
  );
}
