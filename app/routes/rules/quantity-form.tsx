import { useState } from 'react';
import { Form } from 'react-router';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { FormErrors } from '#app/components/forms/field.tsx';
import { DefaultSubmit, Stepper } from '#app/components/forms/stepper.tsx';
import { pictureOf, useItemMeta } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';

export type QuantityKind = ItemFacts & { key: string; available: number };

/** Where rewards are drawn: what the kinds weigh, by their keys, and the bounds of that. */
export type QuantityWeights = { of: Record<string, number>; min: number; max: number };

type Props = {
  kinds: readonly QuantityKind[];
  /** The quantities that were entered, by the kinds' keys. */
  amounts: Record<string, number>;
  requestId: string;
  act: string;
  back: string;
  error?: string | undefined;
  weights?: QuantityWeights | undefined;
};

type WeightProps = { kind: QuantityKind; weights: QuantityWeights };

function WeightField({ kind, weights }: WeightProps) {
  const { t } = useTranslation();
  return (
    <label className="line line-tight s13">
      {t('proof.weight')}
      <input
        className="input input--short input--num"
        type="number"
        inputMode="numeric"
        name={`weight:${kind.key}`}
        defaultValue={weights.of[kind.key] ?? 1}
        min={weights.min}
        max={weights.max}
        aria-label={t('proof.weights.weightOf', { name: kind.name })}
      />
    </label>
  );
}

/** Quantities of kinds, each bounded by what is available, with what would remain of it. */
export function QuantityForm({ kinds, amounts, requestId, act, back, error, weights }: Props) {
  const { t } = useTranslation();
  const meta = useItemMeta();
  const [entered, setEntered] = useState(amounts);
  const amountOf = ({ key, available }: QuantityKind) => Math.min(entered[key] ?? 0, available);
  const total = kinds.reduce((sum, kind) => sum + amountOf(kind), 0);
  const picked = kinds.filter((kind) => amountOf(kind) > 0).length;
  return (
    <Form method="post" className="stack">
      <DefaultSubmit />
      <FormErrors id="quantities" errors={error === undefined ? undefined : [error]} />
      <input type="hidden" name="requestId" value={requestId} />
      <div className="sheet rows">
        {kinds.map((kind) => (
          <div className="set" key={kind.key}>
            <ItemLine
              {...pictureOf(kind)}
              name={kind.name}
              meta={
                <>
                  {meta(kind)}
                  <br />
                  {t('rules.quantity.remain', {
                    available: kind.available,
                    remain: kind.available - amountOf(kind),
                  })}
                </>
              }
            />
            <input type="hidden" name="item" value={kind.key} />
            <span className={weights ? 'line' : undefined}>
              {weights && <WeightField kind={kind} weights={weights} />}
              <Stepper
                name={`item:${kind.key}`}
                value={kind.key}
                label={kind.name}
                amount={Math.min(amounts[kind.key] ?? 0, kind.available)}
                min={0}
                max={kind.available}
                onChange={(amount) => setEntered((before) => ({ ...before, [kind.key]: amount }))}
              />
            </span>
          </div>
        ))}
        <div className="sheet__foot">
          <span role="status">
            {t('items.inventory.picked', {
              items: t('common.items', { count: total }),
              kinds: t('items.kinds', { count: picked }),
            })}
          </span>
        </div>
      </div>
      <div className="line">
        <SubmitButton size="large">{act}</SubmitButton>
        <ButtonLink kind="quiet" size="large" to={back}>
          {t('common.cancel')}
        </ButtonLink>
      </div>
    </Form>
  );
}
