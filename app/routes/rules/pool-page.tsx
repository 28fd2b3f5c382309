import type { ReactNode } from 'react';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { QuantityForm, type QuantityKind, type QuantityWeights } from './quantity-form.tsx';

type Props = {
  change: 'add' | 'remove';
  rule: { id: string; name: string };
  kinds: readonly QuantityKind[];
  requestId: string;
  weights?: QuantityWeights | null;
  /** The answer to the form's last submit. */
  answer:
    | { error?: string | undefined; amounts: Record<string, number>; weights: Record<string, number> }
    | undefined;
  /** The next step if there is no kind to pick. */
  elsewhere: ReactNode;
};

/** The page for picking kinds and quantities to add to a rule, or to remove from it. */
export function PoolPage({ change, rule, kinds, requestId, weights, answer, elsewhere }: Props) {
  const { t } = useTranslation();
  const back = `/rules/${rule.id}`;
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
        <QuantityForm
          key={JSON.stringify(answer?.amounts)}
          kinds={kinds}
          amounts={answer?.amounts ?? {}}
          requestId={requestId}
          act={t(`rules.${change}.act`)}
          back={back}
          error={answer?.error}
          weights={weights ? { ...weights, of: { ...weights.of, ...answer?.weights } } : undefined}
        />
      )}
    </>
  );
}
