import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const code = files.filter((file) => /\.(ts|tsx|cjs|css)$/.test(file) && !file.startsWith('db/migrations/'));
const read = (file: string) => readFileSync(file, 'utf8');
const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>;

/**
 * Files that may be longer. The script that checks draws stays one file: people who trust no site keep it, read it from its
 * top to its end, and run it offline with nothing but Node.js. Of parts, each would have to be trusted and fetched as well.
 */
const longerOnes = new Map([['docs/verify-draws.mjs', 770]]);

test('No source file is too long to read at once', () => {
  const MAX_LINES = 400;
  const scripts = files.filter((file) => /\.m?js$/.test(file) && !file.startsWith('vendor/'));
  const lengths = [...code, ...scripts].map((file) => ({ file, lines: read(file).split('\n').length - 1 }));
  expect(lengths.filter(({ file, lines }) => lines > (longerOnes.get(file) ?? MAX_LINES))).toEqual([]);
  const needless = lengths.filter(({ file, lines }) => longerOnes.has(file) && lines <= MAX_LINES);
  expect(needless).toEqual([]);
});

interface Long {
  place: string;
  lines: number;
}

/** The maximum length of a function: loaders and actions have their own limits, and a component contains its markup. */
function ceilingOf(file: string, name: string): number {
  if (file.startsWith('app/routes/') && name === 'loader') return 40;
  if (file.startsWith('app/routes/') && name === 'action') return 65;
  return file.endsWith('.tsx') && /^[A-Z]/.test(name) ? 110 : 70;
}

/** A file's functions that are too long, nested ones included. */
function longFunctions(file: string): Long[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: Long[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const named = ts.isVariableDeclaration(node.parent) ? node.parent.name : node.name;
      const [first, last] = [lineOf(node.getStart()), lineOf(node.end)];
      const name = named?.getText() ?? 'nameless';
      const lines = last - first + 1;
      if (lines > ceilingOf(file, name)) found.push({ place: `${file}:${first} ${name}`, lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('No function is too long to keep in mind', () => {
  const product = code.filter((file) =>
    /^(app|billing|bot|cli|db|domain|extension|platform|sandbox)\/.*\.tsx?$/.test(file),
  );
  expect(product.length).toBeGreaterThan(500);
  expect(product.flatMap(longFunctions)).toEqual([]);
});

test('No route is longer than its page', () => {
  const MAX_LINES = 250;
  const routes = read('app/routes.ts');
  const long = code
    .filter((file) => file.startsWith('app/routes/') && routes.includes(`'${file.slice('app/'.length)}'`))
    .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES);
  expect(long).toEqual([]);
});

test('Every npm command in the documents exists', () => {
  const named = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
        (found) => found[1] ?? found[2] ?? '',
      ),
    );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('Every benchmark in the documents exists', () => {
  const named = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/npm run bench -- ([a-z-]+)/g)].map((found) => found[1] ?? ''),
    );
  expect(named.filter((name) => !existsSync(`tests/benchmarks/${name}.bench.ts`))).toEqual([]);
});

test('Every linked file in the documents exists', () => {
  const broken = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:)([^)#]+)\)/g)]
        .map((found) => new URL(found[1] ?? '', `file:///${file}`).pathname.slice(1))
        .filter((target) => !existsSync(target))
        .map((target) => `${file} → ${target}`),
    );
  expect(broken).toEqual([]);
});

const rooms = 'app|billing|bot|cli|db|docs|domain|extension|platform|sandbox|tests|tools';

test('Every file or folder that a document names exists', () => {
  const path = new RegExp(`\`((?:${rooms})/[^\`\\s<>…*{}]*)\``, 'g');
  const named = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => [...read(file).matchAll(path)].map((found) => [file, found[1] ?? ''] as const));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(([, target]) => !existsSync(target))).toEqual([]);
});

test('Every example in CONTRIBUTING is a commit of this repository', () => {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });
  const examples = [...read('CONTRIBUTING.md').matchAll(/`([0-9a-f]{7,40})`/g)].map(
    (found) => found[1] ?? '',
  );
  expect(examples.length).toBeGreaterThan(4);
  // A shallow clone has only its newest commits.
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true') return;
  const known = git('log', '--format=%H').split('\n');
  expect(examples.filter((short) => !known.some((commit) => commit.startsWith(short)))).toEqual([]);
});

test('Every decision record has a number of its own, a title, a status and a date', () => {
  const records = files.filter((file) => /^docs\/decisions\/(?!README).+\.md$/.test(file));
  expect(records.length).toBeGreaterThan(10);
  const [title, status] = [/^# (\d{3}) – \S/, /^\*\*Status\.\*\* Accepted, \d{4}-\d{2}-\d{2}\./];
  const unlike = records.filter((file) => {
    const [first = '', , third = ''] = read(file).split('\n');
    const number = title.exec(first)?.[1];
    return !number || !file.startsWith(`docs/decisions/${number}-`) || !status.test(third);
  });
  expect(unlike).toEqual([]);
  expect(new Set(records.map((file) => file.slice(0, 'docs/decisions/000'.length))).size).toBe(
    records.length,
  );
  const index = read('docs/decisions/README.md');
  expect(records.filter((file) => !index.includes(`](${basename(file)})`))).toEqual([]);
});

test('No test is skipped or exclusive', () => {
  const tests = code.filter((file) => file.startsWith('tests/') && file !== 'tests/tidy.test.ts');
  expect(tests.filter((file) => /\b(test|it|describe)\.only\(|waitForTimeout\(/.test(read(file)))).toEqual(
    [],
  );
});

test('No work is left for later', () => {
  const marks = new RegExp(['TO', 'DO|FIX', 'ME|X', 'XX'].join(''));
  expect(code.filter((file) => marks.test(read(file)))).toEqual([]);
});
