import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import artUrl from '#app/styles/item-art.svg?url&no-inline';
import { type ItemWords, splitTraits, useItemText, wearText } from './item-words.ts';

/** Where the five exteriors begin, and where the last one ends, in per cent of all wear. */
const BOUNDS = [0, 7, 15, 38, 45, 100];
/** All five, with a little room between them. */
const BANDS = 'M0 5H6.4M7 5H14.4M15 5H37.4M38 5H44.4M45 5H100';

/** The wear of a piece: its place among the five exteriors, and the number. */
function Wear({ wear }: { wear: string }) {
  const { t } = useTranslation();
  const place = Number(wear) * 100;
  const next = BOUNDS.findIndex((bound, at) => at > 0 && (place < bound || bound === 100));
  return (
    <span className="float">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <path d={BANDS} />
        <path className="float__on" d={`M${BOUNDS[next - 1]} 5H${BOUNDS[next]}`} />
        <path className="float__at" d={`M${place} 0v10`} />
      </svg>
      {t('items.wear', { wear: wearText(wear) })}
    </span>
  );
}

/** Signs of the stickers on a piece, one each; their names appear on focus and under the pointer. */
function Marks({ names }: { names: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <button type="button" className="marks">
      {names.map((_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same sticker may be applied twice.
        <svg key={place} viewBox="0 0 160 96" aria-hidden="true">
          <use href={`${artUrl}#art-sticker`} />
        </svg>
      ))}
      <span className="vh">{t('items.applied', { names: names.join(', ') })}</span>
      <span className="marks__tip" aria-hidden="true">
        {names.map((name, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <span key={place}>{name}</span>
        ))}
      </span>
    </button>
  );
}

/** The wear of a piece and its stickers, which tell it from others of its kind at a glance. */
export function PieceMarks({ item }: { item: ItemWords }) {
  const { wear, applied } = splitTraits(item);
  if (wear === '' && applied.length === 0) return null;
  return (
    <span className="marked">
      {wear !== '' && <Wear wear={wear} />}
      {applied.length > 0 && <Marks names={applied} />}
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
