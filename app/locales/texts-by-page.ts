// For the build alone: the texts of each page, found by the keys in the components that draw it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RouteConfigEntry } from '@react-router/dev/routes';
import type { Plugin } from 'vite';
import routes from '../routes.ts';
import { en } from './en.ts';
import { ru } from './ru.ts';

type Texts = { [name: string]: string | Texts };

const locales: Record<string, Texts> = { en, ru };
const areas = Object.keys(en);

const imports = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gms;
// Matches keys that are written out, and templates with places. A part that cannot be read here may be
// anything.
const keys = new RegExp(`['"\`]((?:${areas.join('|')})\\.(?:[\\w.]|\\$\\{[^{}\`]*\\})*)(\\$)?`, 'g');

/** Lists the files that a browser draws a route with, besides those that are known already. */
function filesOf(app: string, file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
    if (from.endsWith('.server.ts') || from.includes('/locales/')) continue;
    if (from.startsWith('#app/')) filesOf(app, join(app, from.slice('#app/'.length)), found);
    else if (from.startsWith('.')) filesOf(app, resolve(dirname(file), from), found);
  }
  return found;
}

/** Returns whether one of the files contains the key of a text. Plurals are used without their ending. */
function findAsked(files: Iterable<string>): (key: string) => boolean {
  const patterns = new Set<string>();
  for (const file of files)
    for (const [, key = '', isOpen] of readFileSync(file, 'utf8').matchAll(keys)) {
      const written = key.replaceAll('.', '\\.').replace(/\$\{[^}]*\}/g, '[\\w.]+');
      patterns.add(written + (isOpen ? '.*' : '(_(one|few|many|other))?'));
    }
  const asked = new RegExp(`^(${[...patterns].join('|')})$`);
  return (key) => asked.test(key);
}

/** Picks the texts whose keys are wanted, under the same names as before. */
function pick(texts: Texts, isWanted: (key: string) => boolean, above = ''): Texts {
  const picked: Texts = {};
  for (const [name, text] of Object.entries(texts)) {
    const key = above + name;
    if (typeof text === 'string') {
      if (isWanted(key)) picked[name] = text;
      continue;
    }
    const inner = pick(text, isWanted, `${key}.`);
    if (Object.keys(inner).length > 0) picked[name] = inner;
  }
  return picked;
}

type Leaf = { id: string; file: string };

/** Routes that have an address, with the ids that the router gives them, and the layouts around them. */
const leavesOf = (entries: readonly RouteConfigEntry[]): Leaf[] =>
  entries.flatMap(({ id, file, children }) =>
    children ? leavesOf(children) : [{ id: id ?? file.replace(/\.\w+$/, ''), file }],
  );
const layoutsOf = (entries: readonly RouteConfigEntry[]): string[] =>
  entries.flatMap(({ file, children }) => (children ? [file, ...layoutsOf(children)] : []));

/**
 * All texts by the names of their files. `frame` has the texts of every page, a route's name those that the
 * page needs besides, and an area's name the whole area, for keys that come from data.
 */
export function textsByPage(app: string): Map<string, Texts> {
  const found = new Map<string, Texts>();
  const frame = ['root.tsx', ...layoutsOf(routes)];
  const isCommon = findAsked(frame.flatMap((file) => [...filesOf(app, join(app, file))]));
  const pages = leavesOf(routes).map(({ id, file }) => {
    const isAsked = findAsked(filesOf(app, join(app, file)));
    return { id, isAsked: (key: string) => isAsked(key) && !isCommon(key) };
  });
  for (const [language, texts] of Object.entries(locales)) {
    found.set(`${language}/frame`, pick(texts, isCommon));
    for (const { id, isAsked } of pages) found.set(`${language}/${id}`, pick(texts, isAsked));
    for (const area of areas) found.set(`${language}/${area}`, { [area]: texts[area] ?? {} });
  }
  return found;
}

const pluralForm = /^(.+)_(one|few|many|other)$/;

/**
 * Leaves out plural forms that read like `other`: a browser uses the key without an ending if the form that
 * it searches for is missing.
 */
export function withoutRedundantForms(texts: Texts): Texts {
  const shorter: Texts = {};
  for (const [name, text] of Object.entries(texts)) {
    const [, base = '', form] = (typeof text === 'string' && name.match(pluralForm)) || [];
    const other = texts[`${base}_other`];
    if (typeof text !== 'string') shorter[name] = withoutRedundantForms(text);
    else if (form === undefined || other === undefined || base in texts) shorter[name] = text;
    else if (form === 'other') shorter[base] = text;
    else if (text !== other) shorter[name] = text;
  }
  return shorter;
}

/** Writes each page's texts into a file of its own, whose address follows from the page; a new text is a new folder. */
export function pageTexts(): Plugin {
  const files = [...textsByPage(resolve('app'))].map(
    ([name, texts]) =>
      [`${name}.js`, `export default ${JSON.stringify(withoutRedundantForms(texts))}`] as const,
  );
  const version = createHash('sha256').update(files.join('\n')).digest('base64url').slice(0, 8);
  const folder = `assets/texts-${version}`;
  return {
    name: 'page-texts',
    apply: 'build',
    config: () => ({ define: { 'import.meta.env.TEXTS_FOLDER': JSON.stringify(`/${folder}`) } }),
    generateBundle() {
      if (this.environment.name !== 'client') return;
      for (const [name, source] of files)
        this.emitFile({ type: 'asset', fileName: `${folder}/${name}`, source });
    },
  };
}
