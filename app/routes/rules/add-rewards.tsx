import { data } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindAmounts, weightIn } from '#app/services/picked-kinds.server.ts';
import { kindKey } from '#app/services/picks.server.ts';
import { submitPool } from '#app/services/pool-form.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { weightBounds } from '#domain/draw/set-kind-weights.ts';
import { newId } from '#domain/id.ts';
import { attachRewards } from '#domain/reward/attach-rewards.ts';
import { listRuleRewards } from '#domain/reward/list-rule-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/add-rewards.ts';
import { allKinds, pickableKinds } from './available-kinds.server.ts';
import { PoolPage } from './pool-page.tsx';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const [db, nowMs] = [await database(), await domainNow()];
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  const kinds = await pickableKinds(db, ownerId, nowMs);
  const known = rule.type === 'random' ? await listRuleRewards(db, rule.id) : null;
  const weights = known && {
    ...weightBounds,
    of: Object.fromEntries(known.map((kind) => [kindKey(kind), kind.weight])),
  };
  return { rule: { id: rule.id, name: rule.name }, kinds, weights, requestId: newId(nowMs) };
}

/** Adds the picked quantities to the rule. */
export async function action(args: Route.ActionArgs) {
  const reply = await submitPool(args, async ({ form, picks, db, nowMs, request }) => {
    const kinds = kindAmounts(await allKinds(db, { ownerId: request.userId }, nowMs), picks);
    if (!kinds) return { ok: false, code: 'notEnough' };
    const weighed = kinds.map((kind) => ({ ...kind, weight: weightIn(form, kindKey(kind)) }));
    return attachRewards(db, { ...request, kinds: weighed }, nowMs);
  });
  if (reply) return reply;
  nudgeBot();
  return redirectWithToast(`/rules/${args.params.id}`, { type: 'success', title: 'messages.rewardsAdded' });
}

export default function AddRewards({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <PoolPage
      change="add"
      {...loaderData}
      answer={actionData}
      elsewhere={<ButtonLink to="/items">{t('items.custody.emptyAct')}</ButtonLink>}
    />
  );
}
