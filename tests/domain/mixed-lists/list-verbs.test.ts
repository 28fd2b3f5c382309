import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { actsWithLists } from './list-verbs.ts';

const files = execFileSync('git', ['ls-files', 'domain'], { encoding: 'utf8' }).split('\n').filter(Boolean);
const sources = files.map((file) =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true),
);
const isExported = (node: ts.FunctionDeclaration): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

/** The text of every named type of the domain, by its name. */
const types = new Map(
  sources.flatMap((source) =>
    source.statements.flatMap((node) =>
      ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)
        ? [[node.name.text, node.getText()] as const]
        : [],
    ),
  ),
);

const namesList = (text: string): boolean => /\[\]|\b(Readonly)?(Array|Set|Map)<|\bDistinctIds\b/.test(text);

/** Returns whether a parameter is a list or has one, in a type that it names or in one that this names. */
function hasList(type: string, depth = 2): boolean {
  if (namesList(type)) return true;
  const named = [...type.matchAll(/\b[A-Z]\w+/g)].map(([name]) => types.get(name) ?? '');
  return depth > 0 && named.some((text) => hasList(text.slice(text.indexOf('{')), depth - 1));
}

/** Exported functions that open a transaction, or join one, and take a list. */
const found = sources.flatMap((source) =>
  source.statements.flatMap((node) => {
    if (!ts.isFunctionDeclaration(node) || !node.name || !isExported(node)) return [];
    const asked = node.parameters.map(({ type }) => type?.getText() ?? '');
    const writes = asked.some((type) => /^(Database|\w*Tx)$/.test(type));
    const isReader = /^(list|find|get|count|read|with[A-Z]|page)|Of$|For$/.test(node.name.text);
    const lists = asked.filter((type) => !/^(Database|\w*Tx)$/.test(type)).some((type) => hasList(type));
    return writes && lists && !isReader ? [node.name.text] : [];
  }),
);

test('Every act of the domain that takes a list says where it is tried with a mixed one', () => {
  expect(found.toSorted()).toEqual(Object.keys(actsWithLists).toSorted());
});

test('The tests and acts that are named there are those that try it', () => {
  const fileOf = (place: string) =>
    place.endsWith('.property') ? `tests/domain/mixed-lists/${place}.test.ts` : `${place}.test.ts`;
  const wrong = Object.entries(actsWithLists).filter(([verb, place]) => {
    if (place.startsWith('part of '))
      return place
        .slice('part of '.length)
        .split(', ')
        .some((whole) => !(whole in actsWithLists));
    if (/^tests\/|\.property$/.test(place)) return !readFileSync(fileOf(place), 'utf8').includes(`${verb}(`);
    return !place.includes(': ');
  });
  expect(wrong).toEqual([]);
});
