import { useTranslation } from 'react-i18next';
import { data } from 'react-router';
import { ButtonLink } from '#app/components/button.tsx';
import { Blank } from '#app/components/list-states.tsx';
import { PageHead } from '#app/components/page-head.tsx';
import { QuantityForm } from '#app/components/quantity-form.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindAmounts } from '#app/services/picked-kinds.server.ts';
import { amountsOf, kindKey, readPicks, steppedPicks } from '#app/services/picks.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { malformed, poolRefusals } from '#app/services/trading-refusals.server.ts';
import { isRequestId, newId } from '#domain/id.ts';
import { detachRewards } from '#domain/reward/detach-rewards.ts';
import { listRuleRewards } from '#domain/reward/list-rule-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/remove-rewards.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const [db, nowMs] = [await database(), await domainNow()];
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  const kinds = (await listRuleRewards(db, rule.id))
    .filter(({ free }) => free > 0)
    .map((kind) => ({ ...kind, key: kindKey(kind), available: kind.free }));
  return { rule: { id: rule.id, name: rule.name }, kinds, requestId: newId(nowMs) };
}

/** Takes the picked quantities off the rule. Pressing plus or minus without JavaScript only draws the form anew. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const [picks, requestId] = [readPicks(form, 0), String(form.get('requestId'))];
  const [db, nowMs] = [await database(), await domainNow()];
  if (!picks || !isRequestId(requestId, nowMs))
    return data({ error: malformed.key, amounts: {} }, { status: malformed.status });
  const stepped = steppedPicks(form, picks, 0);
  if (stepped) return { error: undefined, amounts: amountsOf(stepped) };
  const rule = await getRule(db, { ruleId: params.id, ownerId: userId });
  if (!rule) throw data(null, { status: 404 });
  const kinds = kindAmounts(await listRuleRewards(db, rule.id), picks);
  const outcome = kinds
    ? await detachRewards(db, { requestId, ruleId: params.id, userId, kinds }, nowMs)
    : ({ ok: false, code: 'notEnough' } as const);
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    const { status, key } = poolRefusals[outcome.code];
    return data({ error: key, amounts: amountsOf(picks) }, { status });
  }
  return redirectWithToast(`/rules/${params.id}`, { type: 'success', title: 'messages.rewardsRemoved' });
}

export default function RemoveRewards({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rule, kinds, requestId } = loaderData;
  const back = `/rules/${rule.id}`;
  return (
    <>
      <PageHead
        title={t('rules.remove.title')}
        lede={t('rules.remove.lede')}
        above={[
          { to: '/rules', label: t('rules.title') },
          { to: back, label: rule.name },
        ]}
      />
      {kinds.length === 0 ? (
        <Blank
          title={t('rules.remove.emptyTitle')}
          action={<ButtonLink to={back}>{t('rules.remove.back')}</ButtonLink>}
        >
          {t('rules.remove.empty')}
        </Blank>
      ) : (
        <QuantityForm
          key={JSON.stringify(actionData?.amounts)}
          kinds={kinds}
          amounts={actionData?.amounts ?? {}}
          requestId={requestId}
          act={t('rules.remove.act')}
          back={back}
          error={actionData?.error}
        />
      )}
    </>
  );
}
