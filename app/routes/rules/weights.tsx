import { useState } from 'react';
import { data, Form, redirect } from 'react-router';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { FormErrors } from '#app/components/forms/field.tsx';
import { Dices } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useChanceText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { malformed, weightRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { weightIn } from '#app/services/items/picked-kinds.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { setKindWeights, weightBounds } from '#domain/rule/set-kind-weights.ts';
import type { Route } from './+types/weights.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const db = await database();
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (rule?.type !== 'random') throw data(null, { status: 404 });
  if (rule.state === 'closed') throw redirect(`/rules/${rule.id}`);
  const kinds = (await listRuleRewards(db, rule)).map((kind) => ({ ...kind, key: kindKey(kind) }));
  return { rule: { id: rule.id, name: rule.name }, kinds, bounds: weightBounds };
}

/** Sets the weights of the kinds in the form; other kinds keep theirs. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const db = await database();
  const rule = await getRule(db, { ruleId: params.id, ownerId: userId });
  if (!rule) throw data(null, { status: 404 });
  const weights = (await listRuleRewards(db, rule)).flatMap((kind) => {
    const weight = weightIn(form, kindKey(kind));
    const { appId, marketHashName, traits } = kind;
    return weight === undefined ? [] : [{ appId, marketHashName, traits, weight }];
  });
  if (weights.length === 0) return data({ error: malformed.key }, { status: malformed.status });
  const outcome = await setKindWeights(db, { ruleId: params.id, userId, weights }, await domainNow());
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    const { status, key } = weightRefusals[outcome.code];
    return data({ error: key }, { status });
  }
  return redirectWithToast(`/rules/${params.id}`, { type: 'success', title: 'proof.weights.done' });
}

type Data = Route.ComponentProps['loaderData'];

function Weights({ kinds, bounds }: Pick<Data, 'kinds' | 'bounds'>) {
  const { t } = useTranslation();
  const chance = useChanceText();
  const [weights, setWeights] = useState(() => new Map(kinds.map(({ key, weight }) => [key, weight])));
  const free = kinds.filter((kind) => kind.free > 0);
  const total = free.reduce((sum, { key }) => sum + (weights.get(key) ?? 0), 0);
  return (
    <div className="sheet rows">
      {kinds.map((kind) => (
        <div className="set" key={kind.key}>
          <ItemLine
            {...pictureOf(kind)}
            name={kind.name}
            meta={
              <>
                {kind.free > 0 && total > 0
                  ? t('proof.weights.chanceThen', { chance: chance((weights.get(kind.key) ?? 0) / total) })
                  : t('proof.weights.noneFree')}
                <ItemMeta item={kind} />
              </>
            }
          />
          <input
            className="input input--short input--num"
            type="number"
            inputMode="numeric"
            name={`weight:${kind.key}`}
            defaultValue={kind.weight}
            min={bounds.min}
            max={bounds.max}
            required
            aria-label={t('proof.weights.weightOf', { name: kind.name })}
            onChange={({ target }) => {
              if (Number.isInteger(target.valueAsNumber))
                setWeights((before) => new Map(before).set(kind.key, target.valueAsNumber));
            }}
          />
        </div>
      ))}
    </div>
  );
}

export default function WeightsPage({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rule, kinds, bounds } = loaderData;
  const back = `/rules/${rule.id}`;
  return (
    <>
      <PageHead
        title={t('proof.weights.title')}
        lede={t('proof.weights.lede')}
        above={[
          { to: '/rules', label: t('rules.title') },
          { to: back, label: rule.name },
        ]}
      />
      {kinds.length === 0 ? (
        <EmptyState
          title={t('proof.weights.emptyTitle')}
          icon={Dices}
          action={<ButtonLink to={`${back}/rewards/add`}>{t('rules.add.act')}</ButtonLink>}
        >
          {t('proof.weights.empty')}
        </EmptyState>
      ) : (
        <Form method="post" className="stack">
          <FormErrors id="weights" errors={actionData ? [actionData.error] : undefined} />
          <Weights kinds={kinds} bounds={bounds} />
          <div className="line">
            <SubmitButton size="large">{t('proof.weights.save')}</SubmitButton>
            <ButtonLink kind="quiet" size="large" to={back}>
              {t('common.cancel')}
            </ButtonLink>
          </div>
        </Form>
      )}
    </>
  );
}
