import { encode } from 'uqr';

/** A QR code as the outline of its dark squares, in a picture of `size` by `size`. */
export interface QrCode {
  size: number;
  path: string;
}

/** Draws a text as a QR code, with the quiet border of four squares that readers need. */
export function qrCodeOf(text: string): QrCode {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const rows = data.flatMap((row, y) =>
    runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`),
  );
  return { size, path: rows.join('') };
}

/** Finds the runs of dark squares in a row: the first square of each, and their number. */
function runsOf(row: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = [];
  row.forEach((dark, x) => {
    const last = runs.at(-1);
    if (!dark) return;
    if (last && last[0] + last[1] === x) last[1]++;
    else runs.push([x, 1]);
  });
  return runs;
}
