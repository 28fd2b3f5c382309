import { exteriorAt, WearScale } from '#app/components/items/item-meta.tsx';
import { wearText } from '#app/components/items/item-words.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The letters by which players name the five exteriors. */
const letters = ['FN', 'MW', 'FT', 'WW', 'BS'];

/** The wear of a piece in large: the scale of all items, with its words and the letters of the exteriors. */
export function WearBar({ wear, exterior }: { wear: string; exterior: string }) {
  const { language } = useTranslation();
  const own = letters[exteriorAt(Number(wear))];
  return (
    <div className="wearbox">
      <p className="wearbox__top">
        <span className="strong">{exterior}</span> <b>{wearText(wear, language)}</b>
      </p>
      <span className="float">
        <WearScale wear={Number(wear)} />
      </span>
      <div className="wearbox__ends" aria-hidden="true">
        {letters.map((each) => (each === own ? <b key={each}>{each}</b> : <span key={each}>{each}</span>))}
      </div>
    </div>
  );
}
