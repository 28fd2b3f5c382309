import type { SKRSContext2D } from '@napi-rs/canvas';

export interface FittedText {
  lines: string[];
  /** The size at which it fits. */
  px: number;
}

/** Breaks a text into lines of at most this width; a word that is wider breaks within. */
export function wrap(context: SKRSContext2D, text: string, width: number): string[] {
  const fits = (line: string) => context.measureText(line).width <= width;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const sign of word) {
      if (line !== '' && !fits(line + sign)) {
        lines.push(line);
        line = '';
      }
      line += sign;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

const steps = [1, 0.9, 0.8, 0.7, 0.6, 0.5] as const;
/** From this step down a third line is allowed. */
const THIRD_LINE_FROM = 0.8;

/** Finds the largest size at which a title takes two lines, or three small ones. It is never cut. */
export function fitTitle(
  context: SKRSContext2D,
  text: string,
  { px, width, fontOf }: { px: number; width: number; fontOf: (px: number) => string },
): FittedText {
  let fitted: FittedText = { lines: [text], px };
  for (const step of steps) {
    const size = Math.round(px * step);
    context.font = fontOf(size);
    fitted = { lines: wrap(context, text, width), px: size };
    if (fitted.lines.length <= (step < THIRD_LINE_FROM ? 3 : 2)) return fitted;
  }
  return fitted;
}
