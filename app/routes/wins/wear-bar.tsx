import { wearText } from '#app/components/items/item-words.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';

/** Steam's five grades of wear: where each begins and ends, and the letters by which players name it. */
const grades = [
  { letters: 'FN', from: 0, to: 0.07 },
  { letters: 'MW', from: 0.07, to: 0.15 },
  { letters: 'FT', from: 0.15, to: 0.38 },
  { letters: 'WW', from: 0.38, to: 0.45 },
  { letters: 'BS', from: 0.45, to: 1 },
] as const;

/** Returns the wear of a piece as a number; null for a piece without wear. */
export function wearOf({ wear }: Pick<ItemFacts, 'wear'>): number | null {
  const value = Number(wear);
  return wear && value >= 0 && value <= 1 ? value : null;
}

/** The wear of a piece on the scale of all wear, its grade lighter than the others. */
export function WearBar({ wear, exterior }: { wear: number; exterior: string }) {
  const { t } = useTranslation();
  const shown = wearText(String(wear));
  const isOf = ({ from, to }: (typeof grades)[number]) => wear >= from && (wear < to || to === 1);
  return (
    <div className="wearbox">
      <div className="wearbox__top" aria-hidden="true">
        <span className="strong">{exterior}</span>
        <b>{shown}</b>
      </div>
      <svg
        className="wear"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={t('win.float', { wear: shown, exterior })}
      >
        {grades.map((grade) => (
          <rect
            key={grade.letters}
            className={isOf(grade) ? 'wear__b wear__b--on' : 'wear__b'}
            x={grade.from * 100}
            y="3"
            width={(grade.to - grade.from) * 100 - 0.4}
            height="4"
          />
        ))}
        <path className="wear__n" d={`M${wear * 100} 0v10`} />
      </svg>
      <div className="wearbox__ends" aria-hidden="true">
        {grades.map((grade) =>
          isOf(grade) ? (
            <b key={grade.letters}>{grade.letters}</b>
          ) : (
            <span key={grade.letters}>{grade.letters}</span>
          ),
        )}
      </div>
    </div>
  );
}
