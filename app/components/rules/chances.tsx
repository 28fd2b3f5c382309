import { PieceMarks } from '#app/components/items/item-meta.tsx';
import { splitTraits } from '#app/components/items/item-words.ts';
import { Twin } from '#app/components/lists/table.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { KindChance } from '#domain/draw/list-chances.ts';
import { joined } from '#platform/isolated.ts';

/** The smallest chance shown as a number. */
const LEAST = 0.0001;

/** A chance as a percentage. A possible draw is never shown as 0 %, and an uncertain one never as 100 %. */
export function useChanceText(): (chance: number) => string {
  const number = useNumberText();
  const percent = (chance: number) => number(chance, { style: 'percent', maximumFractionDigits: 2 });
  return (chance) => {
    if (chance > 0 && chance < LEAST) return `<\u00a0${percent(LEAST)}`;
    if (chance < 1 && chance > 1 - LEAST) return `>\u00a0${percent(1 - LEAST)}`;
    return percent(chance);
  };
}

/** The kinds in the next draw, with their chances. */
export function Chances({ chances }: { chances: readonly KindChance[] }) {
  const { t } = useTranslation();
  const text = useChanceText();
  if (chances.length === 0) return null;
  return (
    <Twin label={t('proof.chances', { count: chances.length })}>
      <dl className="kv">
        {chances.map((kind) => (
          <div className="kv__row" key={`${kind.appId} ${kind.marketHashName} ${kind.traits}`}>
            <dt>
              {joined([kind.name, ...splitTraits(kind).others], ' · ')}
              <PieceMarks item={kind} />
            </dt>
            <dd className="num">{text(kind.chance)}</dd>
          </div>
        ))}
      </dl>
    </Twin>
  );
}
