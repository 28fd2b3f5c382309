/** A chart as paths in a square of 100 by 100, with its scale. */
export interface ChartShape {
  kind: 'bars' | 'line';
  /** The bars of past days, or the line. */
  path: string;
  /** Today's bar, or the area below the line. */
  accent: string;
  /** The values at the top, in the middle and at the bottom. */
  scale: [top: number, middle: number, bottom: number];
}

const steps = [1, 2, 2.5, 5, 10];

/** The smallest round number that is at least this much: whole, or in tenths, because labels have one digit. */
function roundUp(value: number, whole: boolean): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const found = (steps.find((step) => step * power >= value - power * 1e-9) ?? 10) * power;
  return whole ? Math.ceil(found) : Math.ceil(found * 10 - 1e-9) / 10;
}

const place = (value: number) => String(Math.round(value * 100) / 100);

/** Bars from zero, one for each value; the last one is today's. Null if all are zero. */
export function barsOf(values: readonly number[], { whole }: { whole: boolean }): ChartShape | null {
  if (values.every((value) => value === 0)) return null;
  const half = roundUp(Math.max(...values) / 2, whole);
  const width = 100 / values.length;
  const bars = values.map((value, at) => {
    const height = (value / (2 * half)) * 100;
    const x = at * width + width * 0.16;
    return value === 0 ? '' : `M${place(x)} 100v-${place(height)}h${place(width * 0.68)}V100z`;
  });
  const accent = bars.pop() ?? '';
  return { kind: 'bars', path: bars.join(''), accent, scale: [2 * half, half, 0] };
}

/** A line through the known values; null if there are none. Its scale may start above zero. */
export function lineOf(values: readonly (number | null)[]): ChartShape | null {
  const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  const [first] = known;
  const last = known.at(-1);
  if (!first || !last) return null;
  const numbers = known.map(({ value }) => value);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  let half = roundUp((high - low) / 2, true);
  let bottom = Math.floor(low / half) * half;
  while (bottom + 2 * half < high) {
    half = roundUp(half * 1.01, true);
    bottom = Math.floor(low / half) * half;
  }
  const x = (at: number) => place((at / Math.max(1, values.length - 1)) * 100);
  const y = (value: number) => place(100 - ((value - bottom) / (2 * half)) * 100);
  const points = known.map(({ value, at }) => `${x(at)} ${y(value)}`);
  const line = points.length === 1 ? `${points[0]}h0` : points.join('L');
  return {
    kind: 'line',
    path: `M${line}`,
    accent: `M${x(first.at)} 100L${points.join('L')}L${x(last.at)} 100z`,
    scale: [bottom + 2 * half, bottom + half, bottom],
  };
}
