import { type Image, loadImage } from '@napi-rs/canvas';
import type { Sign } from '#app/components/icons/icon.tsx';
import type { ItemShape, Rarity } from '#app/components/items/item-art.tsx';
import icons from '#app/styles/icons.svg?raw';
import art from '#app/styles/item-art.svg?raw';

/** The colours of pictures: those of the dark theme, as in tokens.css. */
export const colors = {
  ground: '#0e1110',
  plate: '#161b19',
  text: '#eef2f0',
  strong: '#ffffff',
  quiet: '#c3ccc8',
  faint: '#a9b5b0',
  accent: '#6fc9b9',
  accentText: '#8adccd',
  edge: '#84918c',
} as const;

export const rarityColors: Record<Rarity, string> = {
  base: '#b0c3d9',
  industrial: '#5e98d9',
  milspec: '#4b69ff',
  restricted: '#8847ff',
  classified: '#d32ce6',
  covert: '#eb4b4b',
  contraband: '#e4ae39',
};

const artColors = { body: '#66736e', dark: '#3e4744', edge: '#a9b5b1', hole: colors.plate };

/** A symbol of one of our own files of drawings. */
function symbolIn(file: string, id: string): { box: string; inner: string } {
  const found = new RegExp(`<symbol id="${id}" viewBox="([^"]*)">(.*?)</symbol>`, 's').exec(file);
  if (!found) throw new Error(`there is no drawing ${id}`);
  return { box: found[1] ?? '', inner: found[2] ?? '' };
}

const imageFrom = ({ box, inner }: { box: string; inner: string }, size: string, attributes = '') =>
  loadImage(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" ${size} ${attributes}>${inner}</svg>`,
    ),
  );

/** Two colours mixed, as `color-mix` does it in sRGB: the drawing's finish has most of the rarity's colour. */
function mixed(one: string, other: string, share: number): string {
  const part = (color: string, place: number) => Number.parseInt(color.slice(place, place + 2), 16);
  const channel = (place: number) =>
    Math.round(part(one, place) * share + part(other, place) * (1 - share))
      .toString(16)
      .padStart(2, '0');
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

/** The drawing of an item, for one whose picture is missing. */
export function drawnItem(shape: ItemShape, rarity: Rarity): Promise<Image> {
  const finish = mixed(rarityColors[rarity], artColors.body, 0.82);
  const symbol = symbolIn(art, `art-${shape}`);
  const inner = symbol.inner.replace(/var\(--(?:art-)?(\w+)\)/g, (_, name: string) =>
    name === 'finish' ? finish : (artColors[name as keyof typeof artColors] ?? colors.plate),
  );
  return imageFrom({ ...symbol, inner }, 'width="800" height="480"');
}

/** An icon in a colour. */
export const drawnIcon = (sign: Sign, color: string): Promise<Image> =>
  imageFrom(
    symbolIn(icons, sign),
    'width="96" height="96"',
    `fill="none" stroke="${color}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"`,
  );

/** Our mark, on a canvas 32 units wide. */
export const MARK_PATH = 'M5 4h6v24H5zM13.5 16 21 4h7l-7.5 12zM20.5 16 28 28h-7l-7.5-12z';
