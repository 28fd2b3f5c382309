import { usePageContext } from '#app/components/shell/page-context.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import artUrl from '#app/styles/item-art.svg?url&no-inline';
import { Picture } from './item-art.tsx';
import { type Applied, type ItemWords, splitTraits, useItemText, wearText } from './item-words.ts';

/** Where the five exteriors begin, in per cent of all wear. */
const BOUNDS = [0, 7, 15, 38, 45];
/** All five, with a little room between them. */
const BANDS = 'M0 5H6.4M7 5H14.4M15 5H37.4M38 5H44.4M45 5H100';

/** Returns which of the five exteriors a wear lies in, from 0. A bound belongs to the one that begins there. */
export const exteriorAt = (wear: number) => BOUNDS.findLastIndex((bound) => bound <= wear * 100);

/** The place of a wear among the five exteriors. */
export function WearScale({ wear }: { wear: number }) {
  const at = exteriorAt(wear);
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <path d={BANDS} />
      <path className="float__on" d={`M${BOUNDS[at]} 5H${BOUNDS[at + 1] ?? 100}`} />
      <path className="float__at" d={`M${wear * 100} 0v10`} />
    </svg>
  );
}

/** A sticker's picture, or a sign for it if there is none. */
export function Mark({ icon }: Pick<Applied, 'icon'>) {
  const { appliedImageUrl } = usePageContext();
  const sign = (
    <svg viewBox="0 0 160 96" aria-hidden="true">
      <use href={`${artUrl}#art-sticker`} />
    </svg>
  );
  return <Picture src={icon && appliedImageUrl && `${appliedImageUrl}${icon}`} instead={sign} />;
}

/** Signs of the stickers on a piece, one each; their names appear on focus and under the pointer. */
function Marks({ applied }: { applied: readonly Applied[] }) {
  const { t } = useTranslation();
  const names = applied.map(({ name }) => name).join(', ');
  return (
    <button type="button" className="marks">
      {applied.map(({ icon }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same sticker may be applied twice.
        <Mark key={place} icon={icon} />
      ))}
      <span className="vh">{t('items.applied', { names })}</span>
      <span className="marks__tip" aria-hidden="true">
        {applied.map(({ name }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <span key={place}>{name}</span>
        ))}
      </span>
    </button>
  );
}

/** The wear of a piece and its stickers, which tell it from others of its kind at a glance. */
export function PieceMarks({ item }: { item: Pick<ItemWords, 'traits' | 'traitIcons' | 'wear'> }) {
  const { t, language } = useTranslation();
  const { wear, applied } = splitTraits(item);
  if (!wear && applied.length === 0) return null;
  return (
    <span className="marked">
      {wear && (
        <span className="float">
          <WearScale wear={Number(wear)} />
          {t('items.wear', { wear: wearText(wear, language) })}
        </span>
      )}
      {applied.length > 0 && <Marks applied={applied} />}
    </span>
  );
}

/** The facts below an item's name: exterior, rarity and type, then what tells this piece from others of its kind. */
export function ItemMeta({ item }: { item: ItemWords }) {
  const text = useItemText()(item);
  return (
    <>
      <Unbroken text={text} />
      <PieceMarks item={item} />
    </>
  );
}
