import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useWords } from '#app/components/text/words.ts';
import type { RuleType } from '#db/schema/rule.ts';
import type { ListedCorrection, RuleValues } from '#domain/rule/list-corrections.ts';
import { useConditionLines } from './condition-lines.ts';

/** The old and the new words of everything that a correction changes. */
export function useCorrectionWords(before: RuleValues, after: RuleValues): string[] {
  const { t, span } = useWords();
  const [old, current] = [useConditionLines(before), useConditionLines(after)];
  const said = ({ text, note, hintInLists }: (typeof old)[number]) =>
    hintInLists ? `${text}. ${note}` : text;
  const claim = ({ claimTimeoutHours: hours }: RuleValues) =>
    t('correct.claim', { span: span(hours * 3600) });
  const words: [was: string, now: string | undefined][] = [
    [before.name, after.name],
    [t(`rules.type.${before.type}`), t(`rules.type.${after.type}`)],
    ...old.map((line): [string, string | undefined] => {
      const same = current.find(({ key }) => key === line.key);
      return [said(line), same && said(same)];
    }),
    [claim(before), claim(after)],
  ];
  const added = current.filter(({ key }) => old.every((line) => line.key !== key));
  const changed = words.flatMap(([was, now]) => {
    if (was === now) return [];
    return now === undefined ? t('correct.dropped', { was }) : t('correct.change', { was, now });
  });
  return [...changed, ...added.map((line) => t('correct.added', { now: said(line) }))];
}

/** The other one of two rules of which one took the place of the other. */
type OtherRule = { id: string; type: RuleType };

type Props = {
  correction: ListedCorrection;
  /** True to say which draw each of them follows. */
  draws?: boolean;
  /** The page of another rule for the same reader; null if it has none. */
  pageOf: (rule: OtherRule) => string | null;
};

function Corrected({ correction, draws, pageOf }: Props) {
  const { t } = useWords();
  const { atMs, afterDraw, before, after, succession } = correction;
  const page =
    succession &&
    pageOf({ id: succession.ruleId, type: (succession.is === 'predecessor' ? before : after).type });
  return (
    <li className="sheet__pad">
      <p className="s13 muted">
        <LocalTime ms={atMs} />
        {draws && afterDraw > 0 && `. ${t('correct.afterDraw', { number: afterDraw })}`}
      </p>
      {succession && (
        <p>{page ? <Link to={page}>{t(`correct.${succession.is}`)}</Link> : t(`correct.${succession.is}`)}</p>
      )}
      {useCorrectionWords(before, after).map((words) => (
        <p key={words}>{words}</p>
      ))}
    </li>
  );
}

/** The page of a rule for anybody: its draws can be checked for good, and nothing else of a deleted rule is public. */
export const proofOf = ({ id, type }: OtherRule): string | null =>
  type === 'random' ? `/proof/${id}` : null;

/** The corrections of a rule, which anybody may read; nothing if there are none. */
export function Corrections({
  corrections,
  ...shown
}: Omit<Props, 'correction'> & { corrections: readonly ListedCorrection[] }) {
  const { t } = useWords();
  if (corrections.length === 0) return null;
  return (
    <section className="mt-8">
      <SectionHead title={t('correct.list')} />
      <ul className="sheet rows">
        {corrections.map((correction) => (
          <Corrected key={correction.id} correction={correction} {...shown} />
        ))}
      </ul>
    </section>
  );
}
