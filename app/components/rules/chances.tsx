import { PieceMarks } from '#app/components/items/item-meta.tsx';
import { splitTraits } from '#app/components/items/item-words.ts';
import { Twin } from '#app/components/lists/table.tsx';
import { useChanceText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { KindChance } from '#domain/draw/list-chances.ts';
import { joined } from '#platform/isolated.ts';

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
