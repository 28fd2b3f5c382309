import { data } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { submitPool } from '#app/routes/rules/pool-form.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindAmounts } from '#app/services/items/picked-kinds.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { newId } from '#domain/kernel/id.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/remove-rewards.ts';
import { PoolPage } from './pool-page.tsx';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const [db, nowMs] = [await database(), await domainNow()];
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  const kinds = (await listRuleRewards(db, rule))
    .filter(({ free }) => free > 0)
    .map((kind) => ({ ...kind, key: kindKey(kind), available: kind.free }));
  return { rule: { id: rule.id, name: rule.name }, kinds, requestId: newId(nowMs) };
}

/** Removes the picked quantities from the rule. */
export async function action(args: Route.ActionArgs) {
  const reply = await submitPool(args, async ({ picks, db, nowMs, rule, request }) => {
    const kinds = kindAmounts(await listRuleRewards(db, rule), picks);
    if (!kinds) return { ok: false, code: 'notEnough' };
    return detachRewards(db, { ...request, kinds }, nowMs);
  });
  if (reply) return reply;
  return redirectWithToast(`/rules/${args.params.id}`, { type: 'success', title: 'messages.rewardsRemoved' });
}

export default function RemoveRewards({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <PoolPage
      change="remove"
      {...loaderData}
      answer={actionData}
      elsewhere={<ButtonLink to={`/rules/${loaderData.rule.id}`}>{t('rules.remove.back')}</ButtonLink>}
    />
  );
}
