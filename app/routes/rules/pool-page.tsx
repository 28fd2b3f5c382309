import type { ReactNode } from 'react';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { noEntries, type PickerEntries } from '#app/components/rules/picker-entries.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { WeightBounds } from './kind-picker.tsx';
import { QuantityForm } from './quantity-form.tsx';
import type { PickableKind } from './use-picker.ts';

type Props = {
  change: 'add' | 'remove';
  rule: { id: string; name: string };
  kinds: readonly PickableKind[];
  requestId: string;
  weights?: (WeightBounds & { of: Record<string, number> }) | null;
  /** Quantities by key to begin with. */
  amounts?: Record<string, number>;
  /** Another way to pick. */
  note?: ReactNode;
  /** The answer to the form's last submit. */
  answer: (PickerEntries & { error?: string | undefined }) | undefined;
  /** The next step if there is no kind to pick. */
  elsewhere: ReactNode;
};

/** The page for picking kinds and quantities to add to a rule, or to remove from it. */
export function PoolPage(props: Props) {
  const { change, rule, kinds, requestId, weights, amounts = {}, note, answer, elsewhere } = props;
  const { t } = useTranslation();
  const back = `/rules/${rule.id}`;
  const start = answer ?? { ...noEntries, amounts };
  return (
    <>
      <PageHead
        title={t(`rules.${change}.title`)}
        lede={t(`rules.${change}.lede`)}
        above={[
          { to: '/rules', label: t('rules.title') },
          { to: back, label: rule.name },
        ]}
      />
      {kinds.length === 0 ? (
        <EmptyState title={t(`rules.${change}.emptyTitle`)} action={elsewhere}>
          {t(`rules.${change}.empty`)}
        </EmptyState>
      ) : (
        <>
          {note && <p className="s13 mb-4">{note}</p>}
          <QuantityForm
            change={change}
            kinds={kinds}
            start={{ ...start, weights: { ...weights?.of, ...start.weights } }}
            requestId={requestId}
            back={back}
            error={answer?.error}
            weights={weights}
          />
        </>
      )}
    </>
  );
}
