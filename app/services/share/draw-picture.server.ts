import { createCanvas, type Image, loadImage, Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { ItemPicture } from '#app/components/items/item-art.tsx';
import type { PoolState } from '#app/components/rules/pool.tsx';
import { colors, drawnIcon, drawnItem, MARK_PATH, rarityColors } from './drawings.server.ts';
import { codeFont, textFont } from './fonts.server.ts';
import { PICTURE_SIZE, type SharePicture } from './share-picture.ts';
import { fitTitle, wrap } from './text-layout.server.ts';

const { width: WIDTH, height: HEIGHT } = PICTURE_SIZE;
const MARGIN = 60;
const EDGE = 8;
/** The left edge of the item beside the text. */
const SIDE = 640;
const NAME = 'Keepsake';

type Box = { x: number; y: number; width: number; height: number };
/** Part of the text column: how high it is, and how to draw it at a height. */
type Block = { height: number; gap: number; draw: (y: number) => void };

/** Reads the picture of an item; null if there is none. */
export type ReadImage = (icon: string | null) => Promise<Buffer | null>;

/**
 * Draws a share picture as PNG. An item whose picture cannot be read is drawn by its type; `whole` is false then, and
 * the picture is worth drawing again soon.
 */
export async function drawPicture(
  picture: SharePicture,
  readImage: ReadImage,
): Promise<{ png: Buffer; whole: boolean }> {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d');
  context.fillStyle = colors.ground;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const items = await Promise.all(picture.items.map((item) => imageFor(item, readImage)));
  const icons = await Promise.all(picture.lines.map(({ icon }) => drawnIcon(icon, colors.quiet)));
  if (picture.layout === 'wide') drawWide(context, picture, items);
  else drawSide(context, picture, items, icons);
  drawFoot(context, picture.foot);
  return { png: await canvas.encode('png'), whole: items.every(({ own }) => own) };
}

type ItemImage = ItemPicture & { image: Image; own: boolean };

async function imageFor(item: ItemPicture, readImage: ReadImage): Promise<ItemImage> {
  const bytes = await readImage(item.icon);
  // A file that is no picture is drawn like one that is missing.
  const image = bytes && (await loadImage(bytes).catch(() => null));
  if (image) return { ...item, image, own: true };
  return { ...item, image: await drawnItem(item.shape, item.rarity), own: item.icon === null };
}

function drawWide(context: SKRSContext2D, picture: SharePicture, items: readonly ItemImage[]): void {
  const top = items.length > 0 ? 60 : 150;
  drawColumn(context, textBlocks(context, picture, WIDTH - 2 * MARGIN, []), top);
  const gap = 20;
  const width = (WIDTH - 2 * MARGIN - 2 * gap) / 3;
  items.forEach((item, place) => {
    drawPlate(context, item, { x: MARGIN + place * (width + gap), y: 308, width, height: 204 }, 10);
  });
}

function drawSide(
  context: SKRSContext2D,
  picture: SharePicture,
  [item]: readonly ItemImage[],
  icons: readonly Image[],
): void {
  if (item) drawPlate(context, item, { x: SIDE, y: 0, width: WIDTH - SIDE, height: HEIGHT }, 0);
  const width = (item ? SIDE : WIDTH - MARGIN) - MARGIN - 20;
  const blocks = textBlocks(context, picture, width, icons);
  const height = blocks.reduce((sum, block) => sum + block.height + block.gap, 0);
  const room = HEIGHT - 110 - 50;
  drawColumn(context, blocks, 50 + Math.max(0, (room - height) / 2));
}

function drawColumn(context: SKRSContext2D, blocks: readonly Block[], top: number): void {
  context.textBaseline = 'alphabetic';
  let y = top;
  for (const block of blocks) {
    block.draw(y);
    y += block.height + block.gap;
  }
}

/** The text of a picture, from top to bottom. */
function textBlocks(
  context: SKRSContext2D,
  picture: SharePicture,
  width: number,
  icons: readonly Image[],
): Block[] {
  const { above, title, lines, code, cells, amount, layout } = picture;
  const blocks: Block[] = [];
  if (above !== '')
    blocks.push(
      paragraph(context, above, { font: textFont(600, 26), px: 26, color: colors.accentText, width }),
    );
  blocks.push(titleBlock(context, title, layout === 'wide' ? 52 : 64, width));
  lines.forEach(({ text }, place) => {
    const style = { font: textFont(400, 28), px: 28, color: colors.quiet, width: width - 42 };
    const gap = place === lines.length - 1 ? 28 : 10;
    const block = { ...paragraph(context, text, style, MARGIN + 42), gap };
    blocks.push(withIcon(context, block, icons[place]));
  });
  if (code) blocks.push(codeBlock(context, code));
  if (cells.length > 0) blocks.push(poolBlock(context, cells, width));
  if (amount) blocks.push(amountBlock(context, amount, width));
  return blocks;
}

type Style = { font: string; px: number; color: string; width: number };

function paragraph(context: SKRSContext2D, text: string, style: Style, x = MARGIN): Block {
  context.font = style.font;
  const lines = wrap(context, text, style.width);
  const step = Math.round(style.px * 1.25);
  return {
    height: lines.length * step,
    gap: 14,
    draw(y) {
      context.font = style.font;
      context.fillStyle = style.color;
      lines.forEach((line, place) => {
        context.fillText(line, x, y + place * step + style.px);
      });
    },
  };
}

function withIcon(context: SKRSContext2D, block: Block, icon: Image | undefined): Block {
  if (!icon) return block;
  return {
    ...block,
    draw(y) {
      context.drawImage(icon, MARGIN, y + 4, 28, 28);
      block.draw(y);
    },
  };
}

function titleBlock(context: SKRSContext2D, title: string, px: number, width: number): Block {
  context.letterSpacing = `${-0.02 * px}px`;
  const fitted = fitTitle(context, title, { px, width, fontOf: (size) => textFont(600, size) });
  context.letterSpacing = '0px';
  const step = Math.round(fitted.px * 1.1);
  return {
    height: fitted.lines.length * step,
    gap: 22,
    draw(y) {
      context.font = textFont(600, fitted.px);
      context.letterSpacing = `${-0.02 * px}px`;
      context.fillStyle = colors.text;
      fitted.lines.forEach((line, place) => {
        context.fillText(line, MARGIN, y + place * step + Math.round(fitted.px * 0.86));
      });
      context.letterSpacing = '0px';
    },
  };
}

/** A fingerprint of 64 digits in groups of eight, four in a line. */
function codeBlock(context: SKRSContext2D, code: string): Block {
  const groups = code.match(/.{1,8}/g) ?? [];
  const lines = [groups.slice(0, 4).join(' '), groups.slice(4).join(' ')].filter((line) => line !== '');
  return {
    height: lines.length * 38,
    gap: 22,
    draw(y) {
      context.font = codeFont(25);
      context.fillStyle = colors.quiet;
      lines.forEach((line, place) => {
        context.fillText(line, MARGIN, y + place * 38 + 28);
      });
    },
  };
}

/** Cells are large while they fit one line. */
const cellSizes = [
  { width: 26, height: 42, gap: 8, line: 4 },
  { width: 14, height: 24, gap: 6, line: 2.5 },
] as const;

function poolBlock(context: SKRSContext2D, cells: readonly PoolState[], width: number): Block {
  const [large, small] = cellSizes;
  const size = cells.length * (large.width + large.gap) <= width ? large : small;
  const perLine = Math.floor((width + size.gap) / (size.width + size.gap));
  return {
    height: Math.ceil(cells.length / perLine) * (size.height + size.gap),
    gap: 8,
    draw(y) {
      cells.forEach((state, place) => {
        const x = MARGIN + (place % perLine) * (size.width + size.gap);
        const top = y + Math.floor(place / perLine) * (size.height + size.gap);
        drawCell(context, state, { x, y: top, width: size.width, height: size.height }, size.line);
      });
    },
  };
}

/** Filled is given, half is promised or on its way, outline is free. */
function drawCell(context: SKRSContext2D, state: PoolState, box: Box, line: number): void {
  context.beginPath();
  context.roundRect(box.x + line / 2, box.y + line / 2, box.width - line, box.height - line, line * 1.5);
  context.lineWidth = line;
  context.strokeStyle = state === 'free' ? colors.edge : colors.accent;
  context.stroke();
  if (state === 'free') return;
  context.save();
  context.clip();
  context.fillStyle = colors.accent;
  const part = state === 'claimed' ? 1 : 0.5;
  context.fillRect(box.x, box.y + box.height * (1 - part), box.width, box.height * part);
  context.restore();
}

function amountBlock(context: SKRSContext2D, amount: string, width: number): Block {
  const parts = amount.split(/<b>(.*?)<\/b>/);
  context.font = textFont(600, 30);
  const px = context.measureText(parts.join('')).width > width ? 24 : 30;
  return {
    height: 40,
    gap: 0,
    draw(y) {
      let x = MARGIN;
      parts.forEach((part, place) => {
        context.font = textFont(place % 2 === 1 ? 600 : 400, px);
        context.fillStyle = place % 2 === 1 ? colors.strong : colors.quiet;
        context.fillText(part, x, y + 30);
        x += context.measureText(part).width;
      });
    },
  };
}

/** An item on its plate: the rarity as a low light and an edge. */
function drawPlate(context: SKRSContext2D, item: ItemImage, box: Box, radius: number): void {
  const { x, y, width, height } = box;
  const color = rarityColors[item.rarity];
  context.save();
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
  context.clip();
  context.fillStyle = colors.plate;
  context.fillRect(x, y, width, height);
  context.save();
  context.translate(x + width / 2, y + height * 1.08);
  context.scale(width * 0.9, height * 0.76);
  const light = context.createRadialGradient(0, 0, 0, 0, 0, 1);
  light.addColorStop(0, `${color}70`);
  light.addColorStop(0.74, `${color}00`);
  context.fillStyle = light;
  context.fillRect(-1, -2, 2, 3);
  context.restore();
  const room = { width: width * 0.86, height: (height - EDGE) * 0.84 };
  const scale = Math.min(room.width / item.image.width, room.height / item.image.height);
  const [across, down] = [item.image.width * scale, item.image.height * scale];
  context.imageSmoothingQuality = 'high';
  context.drawImage(item.image, x + (width - across) / 2, y + (height - EDGE - down) / 2, across, down);
  context.fillStyle = color;
  context.fillRect(x, y + height - EDGE, width, EDGE);
  context.restore();
}

function drawFoot(context: SKRSContext2D, foot: string): void {
  const baseline = HEIGHT - 46;
  context.save();
  context.translate(MARGIN - 4, baseline - 23);
  context.scale(28 / 32, 28 / 32);
  context.fillStyle = colors.accentText;
  context.fill(new Path2D(MARK_PATH));
  context.restore();
  context.font = textFont(600, 24);
  context.fillStyle = colors.text;
  context.fillText(NAME, MARGIN + 36, baseline);
  const x = MARGIN + 36 + context.measureText(NAME).width + 26;
  context.font = textFont(400, 24);
  context.fillStyle = colors.faint;
  context.fillText(foot, x, baseline);
}
