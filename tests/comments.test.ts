import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Words that make a comment's first clause the name of something instead of a statement (docs/style.md). */
const freeRelative = /^(Whom?|Whose|Whoever|What|Whatever|Which|Whichever|How|Why|Whether)\b/;

/** "When it ended." is a fragment like these; "When it ends, the next one begins." is a sentence. */
const fragment = /^(When|Where|That)\b[^,.]*(\.|:|;|$)/;

const isOdd = (comment: string): boolean => freeRelative.test(comment) || fragment.test(comment);

/** Finds, without parsing, whether a file can have such a comment at all: most have none. */
const suspicious = /(\/\*|\/\/)[\s*]*(Who|Wha|Whi|Whe|How|Why|That)/;

const commentsIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([found]) => found);

/** Comments of a TypeScript file. Lines that follow one another are one comment. */
function typescriptComments(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    const parts = node.getChildren(source);
    for (const part of parts) visit(part);
    if (parts.length > 0) return;
    const before = ts.getLeadingCommentRanges(text, node.pos) ?? [];
    const beside = ts.getTrailingCommentRanges(text, node.pos) ?? [];
    for (const { pos, end } of [...beside, ...before]) {
      if (end <= node.getStart(source)) found.set(pos, end);
    }
  };
  visit(source);
  const ranges = [...found].sort(([one], [other]) => one - other);
  return ranges.flatMap(([pos, end], place) => {
    const last = ranges[place - 1];
    const goesOn =
      last !== undefined &&
      text.startsWith('//', pos) &&
      text.startsWith('//', last[0]) &&
      text.slice(last[1], pos).trim() === '' &&
      !text.slice(last[1], pos).includes('\n\n');
    return goesOn ? [] : [text.slice(pos, end)];
  });
}

function commentsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  if (/\.[cm]?[jt]sx?$/.test(file)) return suspicious.test(text) ? typescriptComments(file, text) : [];
  if (file.endsWith('.css')) return commentsIn(text, /\/\*[\s\S]*?\*\//g);
  if (file.endsWith('.sql')) return commentsIn(text, /^--(?!>).*(\n--(?!>).*)*/gm);
  return commentsIn(text, /^[ \t]*#(?!!).*(\n[ \t]*#.*)*/gm);
}

/** A comment's words, without the signs around them. */
const wordsOf = (comment: string): string =>
  comment
    .replace(/^[ \t]*(\/\*\*?|\/\/|--|#)\s*(\*\s)?/, '')
    .replace(/\s*\*\/$/, '')
    .replace(/\s*\n[ \t]*(\*|\/\/|--|#)?[ \t]*/g, ' ')
    .trim();

test('A comment opens with a noun or a verb', () => {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.([cm]?[jt]sx?|css|sql|sh|ya?ml)$|^\.ci\/run$|Dockerfile$/.test(file))
    .filter((file) => !/^(vendor|db\/migrations)\//.test(file));
  const odd = files.flatMap((file) =>
    commentsOf(file)
      .map(wordsOf)
      .filter(isOdd)
      .map((words) => `${file}: ${words.slice(0, 80)}`),
  );
  expect(odd).toEqual([]);
});

test('Fragments and sentences are told apart', () => {
  expect(
    [
      'Whether it is on.',
      'What a viewer gets.',
      'When it ended. Domain time.',
      'When a card was declined first: at once.',
      'Where replies go',
    ].map(isOdd),
  ).toEqual([true, true, true, true, true]);
  expect(
    ['When it ends, the next begins.', 'Whole numbers only.', 'Whenever it changes, all pages reload.'].map(
      isOdd,
    ),
  ).toEqual([false, false, false]);
});
