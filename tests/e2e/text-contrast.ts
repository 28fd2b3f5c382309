import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Page } from '@playwright/test';

/** A text as it is drawn, and the lowest contrast of its colour to what lies behind any point of it. */
export interface Contrast {
  text: string;
  contrast: number;
}

interface Shown {
  text: string;
  /** Red, green and blue, each up to 255. */
  color: [number, number, number];
  box: { x: number; y: number; width: number; height: number };
}

/** The relative luminance of a colour, by WCAG 2.2. */
function luminanceOf(color: ArrayLike<number>): number {
  const [red = 0, green = 0, blue = 0] = Array.from({ length: 3 }, (_, place) => {
    const part = (color[place] ?? 0) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The texts under an element: for each one the part of it that is seen. */
function shownTexts(selector: string): Shown[] {
  const shown: Shown[] = [];
  const walker = document.createTreeWalker(document.querySelector(selector) as Node, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const whole = node.textContent ?? '';
    const text = whole.trim();
    const parent = node.parentElement as Element;
    if (text === '' || !parent.checkVisibility()) continue;
    // Without the spaces around it, which reach up to what stands beside it.
    const range = document.createRange();
    range.setStart(node, whole.indexOf(text));
    range.setEnd(node, whole.indexOf(text) + text.length);
    const outer = parent.closest('.piece')?.getBoundingClientRect() ?? parent.getBoundingClientRect();
    for (const inner of range.getClientRects()) {
      const [x, y] = [Math.max(inner.x, outer.x), Math.max(inner.y, outer.y)];
      const width = Math.min(inner.right, outer.right) - x;
      const height = Math.min(inner.bottom, outer.bottom) - y;
      if (width < 1 || height < 1) continue;
      const [red = 0, green = 0, blue = 0] = (getComputedStyle(parent).color.match(/\d+/g) ?? []).map(Number);
      shown.push({ text, color: [red, green, blue], box: { x, y, width, height } });
    }
  }
  return shown;
}

/**
 * Measures each text under an element against the pixels behind it, the text itself left out: styles cannot tell what a
 * half transparent ground lets through.
 */
export async function measureContrast(page: Page, selector: string): Promise<Contrast[]> {
  const texts = await page.evaluate(shownTexts, selector);
  const hidden = `${selector} * { color: transparent !important; }`;
  const image = await loadImage(await page.screenshot({ animations: 'disabled', style: hidden }));
  const canvas = createCanvas(image.width, image.height);
  const drawing = canvas.getContext('2d');
  drawing.drawImage(image, 0, 0);
  return texts.map(({ text, color, box }) => {
    const [x, y] = [Math.floor(box.x), Math.floor(box.y)];
    const { data } = drawing.getImageData(x, y, Math.ceil(box.width), Math.ceil(box.height));
    let lowest = Number.POSITIVE_INFINITY;
    for (let at = 0; at < data.length; at += 4)
      lowest = Math.min(lowest, contrastOf(color, data.subarray(at, at + 3)));
    return { text, contrast: lowest };
  });
}
