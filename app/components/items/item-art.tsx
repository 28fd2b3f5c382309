import { type ReactElement, useState } from 'react';
import { usePageContext } from '#app/components/shell/page-context.tsx';
import artUrl from '#app/styles/item-art.svg?url&no-inline';

/** Rarities that have a colour; others are drawn as base. */
export const rarities = [
  'base',
  'industrial',
  'milspec',
  'restricted',
  'classified',
  'covert',
  'contraband',
] as const;
export type Rarity = (typeof rarities)[number];

const shapes = [
  'sniper',
  'rifle',
  'smg',
  'heavy',
  'pistol',
  'knife',
  'gloves',
  'sticker',
  'graffiti',
  'pin',
  'agent',
  'container',
  'unknown',
] as const;
export type ItemShape = (typeof shapes)[number];

const sizes = { full: 'plate', thumb: 'plate plate--thumb', small: 'plate plate--small' };
export type ItemPicture = {
  /** Steam's `icon_url`, or null if the item has none. */
  icon: string | null;
  rarity: Rarity;
  /** Shown until the picture has loaded, or instead of it. */
  shape: ItemShape;
};

type Props = ItemPicture & {
  size?: keyof typeof sizes;
  /** True if it is in the first screen of a page. */
  eager?: boolean;
};

/** A picture that says nothing; another drawing if there is none or it does not load. */
export function Picture({ src, instead, eager }: { src: string; instead: ReactElement; eager?: boolean }) {
  const [failed, setFailed] = useState(false);
  if (src === '' || failed) return instead;
  return (
    <img
      src={src}
      alt=""
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      onError={() => setFailed(true)}
      ref={(image) => {
        // A picture may have failed before hydration.
        if (image?.complete && image.naturalWidth === 0 && image.currentSrc !== '') setFailed(true);
      }}
    />
  );
}

/**
 * An item's picture, or a drawing if there is none or it does not load. It has no alternative text, because the name
 * is beside it.
 */
export function ItemArt({ icon, rarity, shape, size = 'full', eager = false }: Props) {
  const { imageUrl } = usePageContext();
  return (
    <span className={sizes[size]} data-rarity={rarity}>
      <Picture
        src={icon && imageUrl ? `${imageUrl}${icon}` : ''}
        eager={eager}
        instead={
          <svg viewBox="0 0 160 96" aria-hidden="true" focusable="false">
            <use href={`${artUrl}#art-${shape}`} />
          </svg>
        }
      />
    </span>
  );
}
