import type { Sign } from '#app/components/icons/icon.tsx';
import type { ItemPicture } from '#app/components/items/item-art.tsx';
import type { PoolState } from '#app/components/rules/pool.tsx';

/** The size in pixels that all sites show whole. */
export const PICTURE_SIZE = { width: 1200, height: 630 } as const;

/** The content of a share picture, in the language of the page it belongs to: everything that is drawn. */
export interface SharePicture {
  /** `wide` has its items in a row below the text, `side` has one to the right of it. */
  layout: 'wide' | 'side';
  above: string;
  title: string;
  lines: readonly { icon: Sign; text: string }[];
  /** A fingerprint, in full: a picture of it can be compared. */
  code: string | null;
  /** One cell for each reward of the pool; empty if they would be too many to count. */
  cells: readonly PoolState[];
  /** The number that is left; `<b>` marks it. */
  amount: string | null;
  items: readonly ItemPicture[];
  foot: string;
}
