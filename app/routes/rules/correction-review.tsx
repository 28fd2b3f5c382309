import { Callout } from '#app/components/feedback/callout.tsx';
import { AffectedList, type Question } from '#app/components/feedback/confirm.tsx';
import { useCorrectionWords } from '#app/components/rules/corrections.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RuleState } from '#db/schema/rule.ts';
import type { RuleValues } from '#domain/rule/list-corrections.ts';
import type { CorrectionPreview } from '#domain/rule/preview-correction.ts';

/** A correction before it is made: the rule as it is and as it would be, whom that touches, and the fields. */
export interface CorrectionReview {
  rule: RuleValues & { state: RuleState };
  wanted: RuleValues;
  preview: CorrectionPreview;
  countedAtMs: number;
  /** A harder rule takes the place of one that has promised. */
  mode: 'correct' | 'succeed';
  /** True if it asks for something that the rule did not count before. */
  anew: boolean;
  /** True if it was confirmed with another count. */
  recounted: boolean;
  fields: Record<string, string>;
}

function Changes({ rule, wanted, preview, recounted, anew, mode, fields }: CorrectionReview) {
  const { t } = useTranslation();
  const number = useNumberText();
  return (
    <>
      {recounted && (
        <Callout type="warning">
          <p>{t('correct.recounted')}</p>
        </Callout>
      )}
      <ul className="lined">
        {useCorrectionWords(rule, wanted).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      {anew && <p>{t('correct.anew')}</p>}
      {'pause' in fields && <p>{t('correct.pauseText')}</p>}
      <AffectedList
        rows={(['newly', 'waiting', 'leaving', 'free', 'promised'] as const)
          .filter((key) => key !== 'leaving' || preview.leaving > 0)
          .map((key) => ({ label: t(`correct.${key}`), value: number(preview[key]) }))}
      />
      {mode === 'succeed' && (
        <label className="check">
          <input type="checkbox" name="again" defaultChecked={fields.again === 'on'} />
          <span>{t('correct.again')}</span>
        </label>
      )}
    </>
  );
}

/** The question before a correction; null while there is nothing to ask. */
export function useCorrectionQuestion(review: CorrectionReview | undefined): Question | null {
  const { t } = useTranslation();
  const time = useTimeText();
  if (!review) return null;
  const { rule, preview, countedAtMs, mode } = review;
  const { again: _, ...fields } = review.fields;
  const counted = time(countedAtMs, 'time');
  const base = { children: <Changes {...review} />, keep: t('correct.keep'), fields };
  if (mode === 'succeed')
    return {
      ...base,
      title: t('correct.succeedQuestion', { name: rule.name }),
      text: t('correct.succeedText', { time: counted }),
      act: t('correct.succeed'),
    };
  const count =
    rule.state === 'open' && !('pause' in fields)
      ? Math.min(preview.newly, Math.max(0, preview.free - preview.waiting + preview.leaving))
      : 0;
  return {
    ...base,
    title: t('correct.question', { name: rule.name }),
    text: t('correct.text', { time: counted }),
    act: count > 0 ? t('correct.confirmWith', { count }) : t('correct.confirm'),
  };
}
