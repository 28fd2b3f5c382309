import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

/**
 * Words that say less than their glossary term in docs/glossary.md. Each is also found inside names such as
 * `tellViewer` or `MOST_ITEMS`.
 */
const plainer: Record<string, string> = {
  beat: 'heartbeat',
  forget: 'delete, clear',
  gone: 'deleted, missing, removed',
  hear: 'handle, receive',
  heard: 'handled, received',
  hearer: 'handler',
  kept: 'what is bounded, cached or saved',
  most: 'max',
  news: 'event, announcement, change',
  noted: 'recorded',
  seat: 'lease, slot',
  surroundings: 'context',
  tell: 'notify, announce, report',
  teller: 'reporter',
  tells: 'notifies, reports',
  told: 'notified, reported',
  tries: 'attempts',
  untold: 'unreported',
  warrant: 'lease, proof',
  wish: 'settlement',
  wishes: 'settlements',
};

/** Verbs that are odd at the start of a name but fine elsewhere (`warningNote`, `looksLikeId`). */
const plainerVerbs: Record<string, string> = {
  note: 'record',
  look: 'check, read',
  keep: 'save, cache, hold',
};

const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_$./-]+/)
    .map((part) => part.toLowerCase());

/** Other libraries' names, and states that databases already contain. */
const allowed = new Set([
  'keepAlive',
  'keepAliveTimeout',
  'KEEP_ALIVE_MS',
  'keepAliveInitialDelayMillis',
  'gone',
  'atMost',
]);

const oddIn = (parts: readonly string[]): string[] =>
  parts.flatMap((part, place) => {
    const words = place === 0 && parts.length > 1 ? { ...plainer, ...plainerVerbs } : plainer;
    return Object.hasOwn(words, part) ? (words[part] ?? []) : [];
  });

function namesIn(file: string): string[] {
  const names = new Set<string>();
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    if (ts.isPrivateIdentifier(node)) names.add(node.text.slice(1));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...names];
}

test('Names use the words of the glossary', () => {
  const files = execFileSync(
    'git',
    ['ls-files', 'app', 'billing', 'bot', 'cli', 'db', 'domain', 'platform', 'sandbox', 'tests', 'tools'],
    {
      encoding: 'utf8',
    },
  )
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && file !== 'tests/words.test.ts');
  // Keys of texts are named after the words on the screen.
  const named = (file: string) => (/^app\/locales\/(en|ru)\//.test(file) ? [] : namesIn(file));
  const odd = files.flatMap((file) =>
    [...named(file), file]
      .filter((name) => !allowed.has(name))
      .flatMap((name) => oddIn(partsOf(name)).map((word) => `${file}: ${name} (rather ${word})`)),
  );
  expect(odd).toEqual([]);
});
