import { Twin } from '#app/components/lists/table.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { KindChance } from '#domain/draw/list-chances.ts';

/** The least chance that is told in digits. */
const LEAST = 0.0001;

/** A chance as a percentage: what can happen is never told as none, nor what is not certain as certain. */
export function useChanceText(): (chance: number) => string {
  const number = useNumberText();
  const percent = (chance: number) => number(chance, { style: 'percent', maximumFractionDigits: 2 });
  return (chance) => {
    if (chance > 0 && chance < LEAST) return `<\u00a0${percent(LEAST)}`;
    if (chance < 1 && chance > 1 - LEAST) return `>\u00a0${percent(1 - LEAST)}`;
    return percent(chance);
  };
}

/** What may be drawn next, and how likely each kind is. */
export function Chances({ chances }: { chances: readonly KindChance[] }) {
  const { t } = useTranslation();
  const text = useChanceText();
  if (chances.length === 0) return null;
  return (
    <Twin label={t('proof.chances', { count: chances.length })}>
      <dl className="kv">
        {chances.map(({ appId, marketHashName, name, chance }) => (
          <div className="kv__row" key={`${appId} ${marketHashName}`}>
            <dt>{name}</dt>
            <dd className="num">{text(chance)}</dd>
          </div>
        ))}
      </dl>
    </Twin>
  );
}

/** The way to the proof of a draw. */
export function ProofLink({ ruleId, number }: { ruleId: string; number: number }) {
  const { t } = useTranslation();
  return (
    <Link className="s13 nowrap" to={`/proof/${ruleId}/${number}`} aria-label={t('proof.linkOf', { number })}>
      {t('proof.link')}
    </Link>
  );
}
