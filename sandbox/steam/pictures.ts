import { createHash } from 'node:crypto';
import { type Answer, escapeHtml, text } from './http.ts';
import type { ItemKind } from './state.ts';
import type { SteamWorld } from './world.ts';

const yearSeconds = 31_536_000;
const defaultSize = { width: 330, height: 192 };
const maxSide = 1024;

/** Silhouettes on a 120 by 80 canvas, by type of item. */
const shapes = {
  sniperRifle:
    'M4 44h50l4-6h26l4 4h30v4H90l-6 8H70l-4 14h-9l3-14H40L20 60 8 62zM52 27h26v6h-4v6h-4v-6H62v6h-4v-6h-6z',
  rifle: 'M6 40h28l4-6h36l4 6h36v5H86l-4 7H70l-2 20H58l2-20H44l-6 16h-9l4-16-25 4z',
  smg: 'M14 36h12l4-6h46l4 6h20v6H82l-2 10H66l2 24H57l-3-24H42l-6 14h-9l4-14H14z',
  pistol: 'M22 26h70l4 6v10H58l-2 8H46l-8 26H20l8-28-8-6z',
  gloves: 'M30 70V42l-8-10 6-6 10 10V14h9v22h3V10h9v26h3V12h9v26h3V18h9v34L72 70z',
  graffiti: 'M46 24h28v48H46zM50 12h10v8H50zM64 14h18v3H64zM66 19h22v3H66z',
  collectible: 'M60 10a30 30 0 1 0 .1 0zM60 20l6 13 14 2-10 10 2 14-12-7-12 7 2-14-10-10 14-2z',
  hat: 'M24 56c0-6 8-8 12-8V30c0-10 10-14 24-14s24 4 24 14v18c4 0 12 2 12 8 0 8-16 12-36 12S24 64 24 56z',
  crate: 'M22 26h76v44H22zM22 18h76v5H22zM54 38h12v12H54z',
  tool: 'M30 62l34-34a14 14 0 0 1 18-16l-9 9 6 8 10-8a14 14 0 0 1-17 18L38 72z',
  metal: 'M24 52l16-20h40l16 20-10 12H34z',
  other: 'M30 20h60v44H30z',
} as const;
type Shape = keyof typeof shapes;

/** The silhouette for each Type tag. */
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
  const [icon = '', size = ''] = path.slice('/images/'.length).split('/');
  if (icon === '') return text('Not found', 404);
  const kind = world.kinds().find((known) => known.icon_url === icon || known.icon_url_large === icon);
  return {
    status: 200,
    headers: {
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': `public, max-age=${yearSeconds}, immutable`,
      // Pictures are shown on other sites' pages and must never run anything.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    },
    body: draw(kind, icon, readSize(size)),
  };
}

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
  const tilt = (hash[1] ?? 0) / 16 - 8;
  const stripe = 14 + (hash[2] ?? 0) / 8;
  const shape = shapes[shapeOf(kind)];
  const name = escapeHtml(kind?.market_name ?? 'Item');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80" width="${size.width}" height="${size.height}" role="img" aria-label="${name}">
<title>${name}</title>
<defs>
<linearGradient id="finish" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="hsl(${hue} 45% 72%)"/><stop offset=".55" stop-color="${color}"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360} 50% 34%)"/></linearGradient>
<radialGradient id="glow"><stop offset="0" stop-color="${color}" stop-opacity=".38"/><stop offset="1" stop-color="${color}" stop-opacity="0"/></radialGradient>
<clipPath id="outline"><path d="${shape}"/></clipPath>
</defs>
<ellipse cx="60" cy="44" rx="56" ry="34" fill="url(#glow)"/>
<g transform="rotate(${tilt.toFixed(1)} 60 40)">
<path d="${shape}" fill="url(#finish)" stroke="#10131a" stroke-width="1.5" stroke-linejoin="round" fill-rule="evenodd"/>
<path d="M0 ${stripe.toFixed(0)}l120 ${(stripe / 2).toFixed(0)}v7L0 ${(stripe + 7).toFixed(0)}z" fill="#fff" fill-opacity=".28" clip-path="url(#outline)"/>
</g>
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
