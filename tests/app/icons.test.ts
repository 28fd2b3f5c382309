import * as lucide from 'lucide-react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import * as signs from '#app/components/icons/signs.ts';

const drawings = new Map<string, unknown>(Object.entries(lucide));

/** A Lucide icon as a sprite symbol, without size and line style. */
function symbolOf(name: string, sign: string): string {
  const drawing = drawings.get(name) as lucide.LucideIcon | undefined;
  if (!drawing) throw new Error(`Lucide draws no ${name}`);
  const [, lines] = /^<svg [^>]*>(.*)<\/svg>$/.exec(renderToStaticMarkup(createElement(drawing))) ?? [];
  return `<symbol id="${sign}" viewBox="0 0 24 24">${lines?.replace(/><\/\w+>/g, '/>')}</symbol>`;
}

test('the sprite contains each icon as Lucide draws it, and nothing else', async () => {
  const symbols = Object.entries(signs).map(([name, sign]) => symbolOf(name, sign));
  const sprite = `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join('\n')}\n</svg>\n`;
  await expect(sprite).toMatchFileSnapshot('../../app/styles/icons.svg');
});
