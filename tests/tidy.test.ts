import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const code = files.filter((file) => /\.(ts|tsx|cjs|css)$/.test(file) && !file.startsWith('db/migrations/'));
const read = (file: string) => readFileSync(file, 'utf8');
const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>;

test('No source file is longer than one reads in a sitting', () => {
  const MOST_LINES = 400;
  const long = code
    .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > MOST_LINES);
  expect(long).toEqual([]);
});

test('Every npm command that the documents name exists', () => {
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

test('Every benchmark that the documents name exists', () => {
  const named = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/npm run bench -- ([a-z-]+)/g)].map((found) => found[1] ?? ''),
    );
  expect(named.filter((name) => !existsSync(`tests/benchmarks/${name}.bench.ts`))).toEqual([]);
});

test('Every file that the documents link to exists', () => {
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

test('No test is left out or alone', () => {
  const tests = code.filter((file) => file.startsWith('tests/') && file !== 'tests/tidy.test.ts');
  expect(tests.filter((file) => /\b(test|it|describe)\.only\(|waitForTimeout\(/.test(read(file)))).toEqual(
    [],
  );
});

test('Nothing is left to do later', () => {
  const marks = new RegExp(['TO', 'DO|FIX', 'ME|X', 'XX'].join(''));
  expect(code.filter((file) => marks.test(read(file)))).toEqual([]);
});
