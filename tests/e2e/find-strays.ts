import type { Page } from '@playwright/test';
import { type Box, type Layout, type Part, type Rect, readLayout } from './page-boxes.ts';

/** Borders, and pixels that are rounded, are no faults. */
const ROOM = 1.5;
/** The box of a line is higher than its letters: it may leave its element by so much, */
const ABOVE_LETTERS = 4;
/** and neighbours may share this part of the smaller one. */
const SHARED = 0.4;
/** Faces of a pile, and a picture behind its text. */
const meant = [
  ['.avatar', '.stackd'],
  ['.plate', '.win__stage'],
] as const;

/** Finds what does not fit on a page as it is laid out now, by the boxes of its texts and controls. */
export async function findStrays(page: Page): Promise<string[]> {
  const layout = await readLayout(page);
  const placed = layout.parts.map((part) => placeOf(layout, part));
  const words = layout.parts.flatMap((part) =>
    part.brokenWords.map((word) => `broken: ${word} in ${pathOf(layout, part)}`),
  );
  const faults = [...placed.flatMap(({ fault }) => fault ?? []), ...words, ...overlapsIn(layout, placed)];
  return [...new Set(faults)];
}

const pathOf = ({ boxes }: Layout, { box }: Part): string => {
  const names: string[] = [];
  for (let each: number | null = box; each !== null && names.length < 3; each = boxes[each]?.parent ?? null)
    names.unshift(boxes[each]?.name ?? '');
  return names.join(' > ');
};

const edgesOf = (lines: readonly Rect[]): Rect => ({
  left: Math.min(...lines.map(({ left }) => left)),
  right: Math.max(...lines.map(({ right }) => right)),
  top: Math.min(...lines.map(({ top }) => top)),
  bottom: Math.max(...lines.map(({ bottom }) => bottom)),
});

/** A part as its surroundings show it. */
interface Placed {
  part: Part;
  /** The lines that are not cut off; none of a part that floats over others. */
  lines: Rect[];
  fault?: string;
}

/** Looks at the boxes around a part, from the inside out, until one of them decides. */
function placeOf(layout: Layout, part: Part): Placed {
  const { boxes, windowWidth } = layout;
  const edges = edgesOf(part.lines);
  const slack = part.isText ? ABOVE_LETTERS : 0;
  const own = boxes[part.box];
  if (!part.isText && own?.floats) return { part, lines: [] };
  const named = (fault: string) => `${fault} ${part.text} (${pathOf(layout, part)})`;
  let place: number | null = part.isText ? part.box : (own?.parent ?? null);
  for (let box: Box | undefined; place !== null; place = box?.parent ?? null) {
    box = boxes[place];
    if (!box) break;
    const { rect } = box;
    const aside = Math.max(rect.left - edges.left, edges.right - rect.right);
    const below = Math.max(rect.top - edges.top, edges.bottom - rect.bottom) - slack;
    if ((box.cutsAside && aside > ROOM) || (box.cutsBelow && below > ROOM)) {
      const lines = part.lines.filter(({ left, top }) => left < rect.right && top < rect.bottom - slack);
      if (box.isShortened && box.isNamed) return { part, lines };
      return { part, lines, fault: named(`cut by ${box.name}:`) };
    }
    if ((box.scrollsAside && aside > ROOM) || (box.scrollsBelow && below > ROOM))
      return { part, lines: box.floats ? [] : part.lines };
    const leaves = Math.round(Math.max(aside, below));
    if (box.isSeen && leaves > ROOM)
      return { part, lines: part.lines, fault: named(`${leaves} px out of ${box.name}:`) };
    if (box.floats) return { part, lines: [] };
  }
  if (edges.right - windowWidth > ROOM)
    return { part, lines: part.lines, fault: named('out of the window:') };
  return { part, lines: part.lines };
}

function overlapsIn(layout: Layout, placed: readonly Placed[]): string[] {
  const lines = placed
    .flatMap(({ part, lines }) => lines.map((rect) => ({ part, rect })))
    .sort((one, other) => one.rect.top - other.rect.top);
  const faults: string[] = [];
  for (const [place, { part, rect }] of lines.entries())
    for (const other of lines.slice(place + 1)) {
      if (other.rect.top > rect.bottom) break;
      if (!cover(rect, other.rect) || isMeant(layout, part, other.part)) continue;
      faults.push(
        `${part.text} (${pathOf(layout, part)}) over ${other.part.text} (${pathOf(layout, other.part)})`,
      );
    }
  return faults;
}

function cover(one: Rect, other: Rect): boolean {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  const lower = Math.min(one.bottom - one.top, other.bottom - other.top);
  return wide > ROOM && high > SHARED * lower;
}

/** Parts of one element, one inside the other, and some that lie over each other on purpose. */
function isMeant(layout: Layout, one: Part, other: Part): boolean {
  const [around, beside] = [chainOf(layout, one), chainOf(layout, other)];
  if (around.includes(other.box) || beside.includes(one.box)) return true;
  const has = (chain: readonly number[], name: string) =>
    chain.some((place) => `${layout.boxes[place]?.name}.`.includes(`${name}.`));
  return meant.some(([what, where]) =>
    [around, beside].some((chain) => has(chain.slice(0, 1), what) && has(chain, where)),
  );
}

/** The places of a part's element and of those around it. */
function chainOf({ boxes }: Layout, { box }: Part): number[] {
  const chain: number[] = [];
  for (let each: number | null = box; each !== null; each = boxes[each]?.parent ?? null) chain.push(each);
  return chain;
}
