import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledPackages, installedPackages, type LockedPackage } from '../tools/shipped-packages.ts';

/**
 * Licences under which a package may come with Keepsake: each asks at most to be named, or, as MPL-2.0, for the source of
 * its own files, which npm installs unchanged.
 */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Unlicense',
]);

/** Packages whose own files name the licence that their description does not. */
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

const textOf = ([name, { version }]: [string, LockedPackage]) => `${name}@${version}`;
const doubtful = (all: [string, LockedPackage][]) =>
  all.filter(([, { license = '' }]) => !isAllowed(license));

test('Every package that comes with Keepsake has a licence that allows it', () => {
  const installed = installedPackages();
  expect(installed.length).toBeGreaterThan(100);
  expect(doubtful(installed).map(textOf).sort()).toEqual(Object.keys(known).sort());
});

test('Every package that is bundled for browsers has a licence that allows it', () => {
  const bundled = bundledPackages();
  const names = bundled.map(([name]) => name);
  for (const name of ['altcha', '@simplewebauthn/browser']) expect(names).toContain(name);
  // Fonts may come with software under it.
  expect(doubtful(bundled).map(([name, { license }]) => [name, license])).toEqual(
    names.filter((name) => name.startsWith('@fontsource')).map((name) => [name, 'OFL-1.1']),
  );
});

test('The list of packages that a build writes names all of these and nothing else', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'keepsake-sbom-')), 'sbom.json');
  execFileSync(process.execPath, ['--import', 'tsx', 'tools/list-packages.ts', file]);
  const list = JSON.parse(readFileSync(file, 'utf8'));
  expect([list.bomFormat, list.metadata.component.type]).toEqual(['CycloneDX', 'application']);
  const components: { name: string; version: string; licenses?: unknown[]; hashes?: unknown[] }[] =
    list.components;
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  const shipped = new Set([...installedPackages(), ...bundledPackages()].map(textOf));
  expect([...new Set(listed)].sort()).toEqual([...shipped].sort());
  for (const name of ['react', 'react-router', '@twurple/api', 'altcha'])
    expect(components.map((each) => each.name)).toContain(name);
  // Ours stands in for a package and comes with no archive.
  for (const { name, version, licenses = [], hashes = [] } of components) {
    // Ours stands in for a package and comes with no archive.
    const expected = [`${name}@${version}` in known ? 0 : 1, name === 'languages' ? 0 : 1];
    expect([name, licenses.length, hashes.length]).toEqual([name, ...expected]);
  }
  const references = new Set(list.dependencies.map(({ ref }: { ref: string }) => ref));
  for (const { dependsOn } of list.dependencies)
    for (const needed of dependsOn) expect(references).toContain(needed);
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
