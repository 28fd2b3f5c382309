import { createHash } from 'node:crypto';
import { drawings } from './drawings.ts';
import { type Answer, escapeHtml, text } from './http.ts';
import type { ItemKind } from './state.ts';
import type { SteamWorld } from './world.ts';

const yearSeconds = 31_536_000;
const defaultSize = { width: 330, height: 192 };
const maxSide = 1024;

/** The folder of the pictures of what is applied to items. */
const APPLIED = '/images/applied/';

type Shape = keyof typeof drawings;

/** The drawing for each Type tag. */
const shapeByType: Record<string, Shape> = {
  CSGO_Type_SniperRifle: 'sniperRifle',
  CSGO_Type_Rifle: 'rifle',
  CSGO_Type_SMG: 'smg',
  CSGO_Type_Pistol: 'pistol',
  Type_Hands: 'gloves',
  CSGO_Type_Spray: 'graffiti',
  CSGO_Type_Collectible: 'collectible',
  misc: 'hat',
  Supply_Crate: 'crate',
  TF_T: 'tool',
  Craft_Item: 'metal',
  primary: 'rifle',
  secondary: 'pistol',
  melee: 'tool',
};

/** Draws the picture of the item with this icon; unknown icons get one too. */
export function showPicture(world: SteamWorld, path: string): Answer {
  if (path.startsWith(APPLIED)) return picture(drawApplied(path.slice(APPLIED.length)));
  const [icon = '', size = ''] = path.slice('/images/'.length).split('/');
  if (icon === '') return text('Not found', 404);
  const kind = world.kinds().find((known) => known.icon_url === icon || known.icon_url_large === icon);
  return picture(draw(kind, icon, readSize(size)));
}

const picture = (body: string): Answer => ({
  status: 200,
  headers: {
    'content-type': 'image/svg+xml; charset=utf-8',
    'cache-control': `public, max-age=${yearSeconds}, immutable`,
    // Pictures are shown on other sites' pages and must never run anything.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  },
  body,
});

/** Steam's sizes look like 360fx360f: width and height, each with an f for "fit". */
function readSize(size: string) {
  const [, width, height] = /^(\d{1,4})f?x(\d{1,4})f?$/.exec(size) ?? [];
  if (width === undefined || height === undefined) return defaultSize;
  const side = (value: string) => Math.max(1, Math.min(maxSide, Number(value)));
  return { width: side(width), height: side(height) };
}

function draw(kind: ItemKind | undefined, icon: string, size: { width: number; height: number }) {
  const color = rarityColor(kind);
  // The same icon always looks the same, and two kinds with the same shape differ.
  const hash = createHash('sha256').update(icon).digest();
  const hue = Math.round(((hash[0] ?? 0) / 255) * 360);
  const tilt = (hash[1] ?? 0) / 32 - 4;
  const colors = `--finish:${color};--edge:hsl(${hue} 40% 80%);--body:hsl(${hue} 14% 46%);--dark:hsl(${hue} 10% 27%)`;
  const name = escapeHtml(kind?.market_name ?? 'Item');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 96" width="${size.width}" height="${size.height}" role="img" aria-label="${name}" style="${colors}">
<title>${name}</title>
<g transform="rotate(${tilt.toFixed(1)} 80 48)">${drawings[shapeOf(kind)]}</g>
</svg>
`;
}

/** Stickers, patches and charms are round, and of as many colours as there are pictures. */
function drawApplied(icon: string): string {
  const [first = 0, second = 0] = createHash('sha256').update(icon).digest();
  const hues = [first, second].map((byte) => Math.round((byte / 255) * 360));
  const colors = `--finish:hsl(${hues[0]} 70% 52%);--body:hsl(${hues[1]} 45% 34%);--dark:#f2f4f3;--edge:#fff`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="32 0 96 96" width="64" height="64" style="${colors}">
${drawings.collectible}
</svg>
`;
}

function shapeOf(kind: ItemKind | undefined): Shape {
  const type = kind?.tags.find((tag) => tag.category === 'Type')?.internal_name;
  return (type === undefined ? undefined : shapeByType[type]) ?? 'other';
}

function rarityColor(kind: ItemKind | undefined) {
  const tagOf = (category: string) => kind?.tags.find((tag) => tag.category === category);
  // A game without rarities colours its qualities instead.
  const rarity = tagOf('Rarity') ?? tagOf('Quality');
  const color = rarity?.color ?? kind?.name_color ?? '';
  return /^[0-9a-fA-F]{6}$/.test(color) ? `#${color}` : '#8a93a5';
}
