// npm run bench -- weight: what a browser loads to show each page for the first time, from the build alone.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerBuild } from 'react-router';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { type Language, languages } from '#app/locales/languages.ts';
import { loadBuild } from '#app/server.ts';

const folder = 'build/client';
const kib = 1024;
/** The script bytes and files that a page may load. */
const goals = {
  app: { bytes: 110 * kib, files: 12 },
  plain: { bytes: 2 * kib, files: 1 },
  // Almost all of it is the captcha widget.
  captcha: { bytes: 32 * kib, files: 2 },
};

type Route = NonNullable<ServerBuild['routes'][string]>;
type Weight = { page: string; kind: keyof typeof goals; language: Language; scripts: Set<string> } & {
  styles: Set<string>;
};

const assets = readdirSync(join(folder, 'assets'));
const assetNamed = (name: string) => {
  const found = assets.find((file) => file.startsWith(`${name}-`) && file.endsWith('.js'));
  if (!found) throw new Error(`the build has no ${name}`);
  return `/assets/${found}`;
};

/** The size as served to a browser: brotli where the build created it. */
function bytesOf(paths: Iterable<string>): number {
  const sizes = [...paths].map((path) => {
    const file = join(folder, path);
    return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

const specifiers = /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g;

/** A script and everything that it imports statically. */
function withImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of readFileSync(join(folder, path), 'utf8').matchAll(specifiers))
    withImports(`/assets/${name}`, found);
  return found;
}

/** The folder of the texts, according to the script that loads them. */
function findTexts(): string {
  const found = assets.find((file) => file.startsWith('texts-'));
  if (!found) throw new Error('the build has no texts');
  return `/assets/${found}`;
}

function chainOf(build: ServerBuild, route: Route): Route[] {
  const parent = route.parentId === undefined ? undefined : build.routes[route.parentId];
  return parent ? [...chainOf(build, parent), route] : [route];
}

function weigh(build: ServerBuild, route: Route, language: Language, texts: string): Weight {
  const chain = chainOf(build, route);
  const handles = chain.map(({ module }) => module.handle as PageHandle | undefined);
  const pieces = chain.map(({ id }) => build.assets.routes[id]).filter((piece) => piece !== undefined);
  const styles = new Set(pieces.flatMap(({ css }) => css ?? []));
  const page = chain
    .map(({ path }) => path ?? '')
    .filter(Boolean)
    .join('/');
  const isPlain = handles.at(-1)?.plain === true;
  const own = `${texts}/${language}/${route.id}.js`;
  const hasCaptcha = readFileSync(join(folder, own), 'utf8').includes('"captcha":');
  const entries = isPlain
    ? [assetNamed('plain-page'), ...(hasCaptcha ? [assetNamed('altcha')] : [])]
    : [
        build.assets.entry.module,
        ...pieces.map(({ module }) => module),
        `${texts}/${language}/frame.js`,
        own,
      ];
  const scripts = new Set<string>();
  for (const entry of entries) withImports(entry, scripts);
  const kind = isPlain ? (hasCaptcha ? 'captcha' : 'plain') : 'app';
  return { page: `/${page}`, kind, language, scripts, styles };
}

const ratioOf = ({ kind, scripts }: Weight) =>
  Math.max(bytesOf(scripts) / goals[kind].bytes, scripts.size / goals[kind].files);

export async function run() {
  const build = await loadBuild();
  const texts = findTexts();
  const pages = Object.values(build.routes).filter(
    (route) => route !== undefined && route.id !== 'root' && route.module.default && route.path !== undefined,
  );
  const weights = pages.flatMap((route) =>
    languages.map((language) => weigh(build, route as Route, language, texts)),
  );
  weights.sort((one, other) => ratioOf(other) - ratioOf(one));
  for (const weight of weights) {
    const { page, kind, language, scripts, styles } = weight;
    const amounts = [scripts, styles].map(
      (files) => `${(bytesOf(files) / kib).toFixed(1)} KiB in ${files.size}`,
    );
    console.log(`${page.padEnd(34)} ${language} ${kind.padEnd(8)} scripts ${amounts.join(', styles ')}`);
  }
  const worst = weights[0];
  if (!worst) throw new Error('the build has no pages');
  const heaviest = Math.max(
    ...weights.filter(({ kind }) => kind === 'app').map(({ scripts }) => bytesOf(scripts)),
  );
  return {
    heaviestKib: heaviest / kib,
    maxFiles: Math.max(...weights.map(({ scripts }) => scripts.size)),
    over: [...new Set(weights.filter((weight) => ratioOf(weight) > 1).map(({ page }) => page))].toSorted(),
    ratio: ratioOf(worst),
  };
}
