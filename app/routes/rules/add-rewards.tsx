import { data } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { submitPool } from '#app/routes/rules/pool-form.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindAmounts, pickedPieces, weightIn } from '#app/services/items/picked-kinds.server.ts';
import { amountsOf, kindKey, readPicks } from '#app/services/items/picks.server.ts';
import { wornPiecesOf } from '#app/services/items/worn-pieces.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { newId } from '#domain/kernel/id.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { weightBounds } from '#domain/rule/set-kind-weights.ts';
import type { Route } from './+types/add-rewards.ts';
import { allKinds, pickableKinds, pickablePieces } from './available-kinds.server.ts';
import { PoolPage } from './pool-page.tsx';

/**
 * With `each=1`, pieces that differ in wear are picked by themselves; a draw's weight belongs to their whole kind. What
 * the address picks is picked to begin with.
 */
export async function loader({ request, params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const [db, nowMs] = [await database(), await domainNow()];
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  const query = new URL(request.url).searchParams;
  const each = query.get('each') === '1';
  const kinds = await (each ? pickablePieces : pickableKinds)(db, ownerId, nowMs);
  const known = !each && rule.type === 'random' ? await listRuleRewards(db, rule) : null;
  const weights = known && {
    ...weightBounds,
    of: Object.fromEntries(known.map((kind) => [kindKey(kind), kind.weight])),
  };
  const amounts = amountsOf(readPicks(query) ?? []);
  return { rule: { id: rule.id, name: rule.name }, kinds, each, amounts, weights, requestId: newId(nowMs) };
}

/** Adds the picked quantities to the rule. */
export async function action(args: Route.ActionArgs) {
  const reply = await submitPool(args, async ({ form, picks, db, nowMs, request }) => {
    const { userId: ownerId } = request;
    const known = await allKinds(db, { ownerId }, nowMs);
    const keys = new Set(known.map(kindKey));
    const [ofKinds, others] = [
      picks.filter(({ key }) => keys.has(key)),
      picks.filter(({ key }) => !keys.has(key)),
    ];
    const pieces = others.length > 0 ? pickedPieces(await wornPiecesOf(db, ownerId, nowMs), others) : [];
    const kinds = kindAmounts(known, ofKinds);
    if (!kinds || pieces.length < others.length) return { ok: false, code: 'notEnough' };
    const weighed = kinds.map((kind) => ({ ...kind, weight: weightIn(form, kindKey(kind)) }));
    return attachRewards(db, { ...request, kinds: [...weighed, ...pieces] }, nowMs);
  });
  if (reply) return reply;
  nudgeBot();
  return redirectWithToast(`/rules/${args.params.id}`, { type: 'success', title: 'messages.rewardsAdded' });
}

export default function AddRewards({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <PoolPage
      // Picks of kinds are none of pieces.
      key={String(loaderData.each)}
      change="add"
      {...loaderData}
      note={
        <Link to={`/rules/${loaderData.rule.id}/rewards/add${loaderData.each ? '' : '?each=1'}`}>
          {t(loaderData.each ? 'rules.add.ofKinds' : 'rules.add.ofPieces')}
        </Link>
      }
      answer={actionData}
      elsewhere={<ButtonLink to="/items">{t('items.custody.emptyAct')}</ButtonLink>}
    />
  );
}
