import { Callout } from '#app/components/feedback/callout.tsx';
import type { Question } from '#app/components/feedback/confirm.tsx';
import { AffectedItems } from '#app/components/items/affected-items.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { ConditionList, TypeLine } from '#app/components/rules/rule-words.tsx';
import { useChanceText, useNumberText, useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';
import type { DryRun } from '#domain/view/dry-run.ts';
import { DryRunWords, useDryRunTitle } from './dry-run.tsx';
import type { RulePreview } from './rule-form.tsx';

type ReviewedKind = Omit<ItemFacts, 'marketHashName'> & {
  key: string;
  quantity: number;
  /** From 0 to 1; null if the kinds are not drawn. */
  chance: number | null;
};

/** A new rule as it would open, and the fields that open it. */
export type Review = {
  draft: Omit<RulePreview, 'channel'> & { name: string };
  found: DryRun | null;
  channelName: string;
  rewards: ReviewedKind[];
  fields: Record<string, string | string[]>;
};

/** Kinds that are listed one by one. */
const LISTED = 12;

function FirstRewards({ rewards }: { rewards: readonly ReviewedKind[] }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const chance = useChanceText();
  const rest = rewards.length - LISTED;
  return (
    <AffectedItems>
      {rewards.slice(0, LISTED).map((kind) => (
        <ItemLine
          key={kind.key}
          {...pictureOf(kind)}
          name={kind.name}
          meta={
            kind.chance === null ? (
              <ItemMeta item={kind} />
            ) : (
              t('rules.picker.chance', { chance: chance(kind.chance) })
            )
          }
          end={<b>× {number(kind.quantity)}</b>}
        />
      ))}
      {rest > 0 && <p className="s13 muted">{t('rules.create.moreKinds', { count: rest })}</p>}
    </AffectedItems>
  );
}

/** The question before a rule opens; null while there is nothing to ask. */
export function useQuestion(review: Review | undefined): Question | null {
  const { t } = useTranslation();
  const span = useSpanText();
  const dryRunTitle = useDryRunTitle();
  if (!review) return null;
  const { draft, found, channelName, rewards, fields } = review;
  const count = rewards.reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    title: t('rules.create.question', { name: draft.name }),
    text: t('rules.create.text', {
      channel: channelName,
      span: span(draft.claimTimeoutHours * 3600),
    }),
    children: (
      <>
        <div className="lined">
          <ConditionList rule={draft} />
          <TypeLine type={draft.type} />
        </div>
        {count === 0 ? (
          <Callout type="warning">
            <p>{t('rules.create.empty')}</p>
          </Callout>
        ) : (
          <FirstRewards rewards={rewards} />
        )}
        {found && (
          <div className="stack stack-2 s13">
            <h3>{dryRunTitle(found)}</h3>
            <DryRunWords found={found} rewards={count} />
          </div>
        )}
      </>
    ),
    act: count === 0 ? t('rules.create.actEmpty') : t('rules.create.actWith', { count }),
    keep: t('rules.create.keep'),
    fields,
  };
}
