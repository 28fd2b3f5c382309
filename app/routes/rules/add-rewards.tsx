import { useTranslation } from 'react-i18next';
import { data } from 'react-router';
import { ButtonLink } from '#app/components/button.tsx';
import { Blank } from '#app/components/list-states.tsx';
import { PageHead } from '#app/components/page-head.tsx';
import { QuantityForm } from '#app/components/quantity-form.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindAmounts, weightIn } from '#app/services/picked-kinds.server.ts';
import { amountsOf, kindKey, readPicks, steppedPicks } from '#app/services/picks.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { malformed, poolRefusals } from '#app/services/trading-refusals.server.ts';
import { weightBounds } from '#domain/draw/set-kind-weights.ts';
import { isRequestId, newId } from '#domain/id.ts';
import { listCustody } from '#domain/item/list-custody.ts';
import { attachRewards } from '#domain/reward/attach-rewards.ts';
import { listRuleRewards } from '#domain/reward/list-rule-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/add-rewards.ts';

/** More kinds than anyone has. */
const ALL_KINDS = 10_000;

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const [db, nowMs] = [await database(), await domainNow()];
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  const { rows } = await listCustody(db, { ownerId, filter: 'available', size: ALL_KINDS }, nowMs);
  const kinds = rows.map((row) => ({ ...row, key: kindKey(row) }));
  const known = rule.type === 'random' ? await listRuleRewards(db, rule.id) : null;
  const weights = known && {
    ...weightBounds,
    of: Object.fromEntries(known.map((kind) => [kindKey(kind), kind.weight])),
  };
  return { rule: { id: rule.id, name: rule.name }, kinds, weights, requestId: newId(nowMs) };
}

/** Puts the picked quantities on the rule. Pressing plus or minus without JavaScript only draws the form anew. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const [picks, requestId] = [readPicks(form, 0), String(form.get('requestId'))];
  const [db, nowMs] = [await database(), await domainNow()];
  if (!picks || !isRequestId(requestId, nowMs))
    return data({ error: malformed.key, amounts: {}, weights: {} }, { status: malformed.status });
  const stepped = steppedPicks(form, picks, 0);
  const entered = { weights: weightsIn(form) };
  if (stepped) return { error: undefined, amounts: amountsOf(stepped), ...entered };
  // Whose rule it is comes before what there is to put on it.
  const rule = await getRule(db, { ruleId: params.id, ownerId: userId });
  if (!rule) throw data(null, { status: 404 });
  const { rows } = await listCustody(db, { ownerId: userId, size: ALL_KINDS }, nowMs);
  const kinds = kindAmounts(rows, picks)?.map((kind) => ({ ...kind, weight: weightIn(form, kindKey(kind)) }));
  const outcome = kinds
    ? await attachRewards(db, { requestId, ruleId: params.id, userId, kinds }, nowMs)
    : ({ ok: false, code: 'notEnough' } as const);
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    const { status, key } = poolRefusals[outcome.code];
    return data({ error: key, amounts: amountsOf(picks), ...entered }, { status });
  }
  nudgeBot();
  return redirectWithToast(`/rules/${params.id}`, { type: 'success', title: 'messages.rewardsAdded' });
}

/** The weights that stand in the form, to show them again. */
const weightsIn = (form: FormData): Record<string, number> =>
  Object.fromEntries(
    form
      .getAll('item')
      .map(String)
      .map((key) => [key, weightIn(form, key) ?? 1]),
  );

export default function AddRewards({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rule, kinds, weights, requestId } = loaderData;
  const back = `/rules/${rule.id}`;
  return (
    <>
      <PageHead
        title={t('rules.add.title')}
        lede={t('rules.add.lede')}
        above={[
          { to: '/rules', label: t('rules.title') },
          { to: back, label: rule.name },
        ]}
      />
      {kinds.length === 0 ? (
        <Blank
          title={t('rules.add.emptyTitle')}
          action={<ButtonLink to="/items">{t('items.custody.emptyAct')}</ButtonLink>}
        >
          {t('rules.add.empty')}
        </Blank>
      ) : (
        <QuantityForm
          key={JSON.stringify(actionData?.amounts)}
          kinds={kinds}
          amounts={actionData?.amounts ?? {}}
          requestId={requestId}
          act={t('rules.add.act')}
          back={back}
          error={actionData?.error}
          weights={weights ? { ...weights, of: { ...weights.of, ...actionData?.weights } } : undefined}
        />
      )}
    </>
  );
}
