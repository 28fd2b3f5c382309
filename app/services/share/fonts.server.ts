import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?inline';
import cyrillic from '@fontsource-variable/onest/files/onest-cyrillic-wght-normal.woff2?inline';
import latinMore from '@fontsource-variable/onest/files/onest-latin-ext-wght-normal.woff2?inline';
import latin from '@fontsource-variable/onest/files/onest-latin-wght-normal.woff2?inline';
import { GlobalFonts } from '@napi-rs/canvas';

// Files of the build, so that a picture is the same on every machine, with fonts or without. Each has a family of its
// own, because a family has one file for a weight.
const files = {
  'Keepsake Latin': latin,
  'Keepsake Cyrillic': cyrillic,
  'Keepsake Latin More': latinMore,
  'Keepsake Mono': mono,
};

for (const [family, address] of Object.entries(files))
  GlobalFonts.register(Buffer.from(address.slice(address.indexOf(',') + 1), 'base64'), family);

const families = Object.keys(files)
  .slice(0, 3)
  .map((family) => `"${family}"`)
  .join(', ');

export const textFont = (weight: 400 | 600, px: number): string => `${weight} ${px}px ${families}`;
export const codeFont = (px: number): string => `500 ${px}px "Keepsake Mono"`;
