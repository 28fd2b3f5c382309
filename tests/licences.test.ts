import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Package {
  version?: string;
  license?: string;
  dev?: boolean;
}

/** Licences under which a package may come with Keepsake: each asks at most to be named. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** Packages whose own files say what their description does not. */
const known: Record<string, string> = {
  'css-select@1.2.0': 'BSD-2-Clause in its LICENSE',
  'domutils@1.5.1': 'BSD-2-Clause in its LICENSE',
  'node-bignumber@1.2.2': 'MIT in words of its own, in its LICENSE',
};

/** `(A OR B)` needs one of them, `A AND B` both. */
const isAllowed = (expression: string): boolean =>
  expression
    .replace(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((licence) => allowed.has(licence)));

test('Every package that comes with Keepsake has a licence that allows it', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Package>;
  };
  const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(shipped.length).toBeGreaterThan(100);
  const doubtful = shipped
    .filter(([, { license = '' }]) => !isAllowed(license))
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
  expect(doubtful.sort()).toEqual(Object.keys(known).sort());
});

test.each([
  ['MIT', true],
  ['(MIT OR WTFPL)', true],
  ['MIT AND BSD-3-Clause', true],
  ['GPL-3.0-only', false],
  ['MIT AND GPL-2.0', false],
  ['', false],
])('A licence is read as an expression: %s', (expression, expected) => {
  expect(isAllowed(expression)).toBe(expected);
});
