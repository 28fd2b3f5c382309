import type { ReactNode } from 'react';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import { ItemArt, type ItemPicture } from './item-art.tsx';

type Props = ItemPicture & {
  name: ReactNode;
  meta?: ReactNode;
  size?: 'thumb' | 'small';
  /** Content at the end: an amount, a badge, a button. */
  end?: ReactNode;
};

/** An item in a row: picture, name, a line about it, and content at the end. */
export function ItemLine({ icon, rarity, shape, name, meta, size = 'thumb', end }: Props) {
  return (
    <div className="item">
      <ItemArt icon={icon} rarity={rarity} shape={shape} size={size} />
      <div className="item__text">
        <div className="item__name">{typeof name === 'string' ? <Unbroken text={name} /> : name}</div>
        {meta && (
          <div className="item__meta">{typeof meta === 'string' ? <Unbroken text={meta} /> : meta}</div>
        )}
      </div>
      {end && <span className="push nowrap">{end}</span>}
    </div>
  );
}
