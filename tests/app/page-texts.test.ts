import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { commonAreas } from '#app/locales/areas.ts';
import { en } from '#app/locales/en.ts';

const app = resolve('app');
const pages = readdirSync(join(app, 'routes'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.tsx') && !file.startsWith('layouts'),
);

const imports = /^import (?!type )[^;]*?from '([^']+)'/gms;
const keys = new RegExp(`['"\`](${Object.keys(en).join('|')})\\.[\\w$]`, 'g');

/** The files that a browser draws the page of a route with. */
function filesOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
    if (from.endsWith('.server.ts') || from.includes('/locales/')) continue;
    if (from.startsWith('#app/')) filesOf(join(app, from.slice('#app/'.length)), found);
    else if (from.startsWith('.')) filesOf(resolve(dirname(file), from), found);
  }
  return found;
}

function areasSaid(file: string): string[] {
  const said = [...filesOf(file)].flatMap((each) =>
    [...readFileSync(each, 'utf8').matchAll(keys)].map(([, area = '']) => area),
  );
  const common: readonly string[] = commonAreas;
  return [...new Set(said)].filter((area) => !common.includes(area)).sort();
}

test.each(pages)('The page %s names the texts that it says', async (page) => {
  const file = join(app, 'routes', page);
  const { handle } = (await import(/* @vite-ignore */ file)) as { handle?: { texts?: string[] } };
  expect([...(handle?.texts ?? [])].sort()).toEqual(areasSaid(file));
});
