// The extension's packages are the same bytes on the recommended Node as on this one. Takes a few seconds; that Node is
// downloaded if it is not there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { targets } from '#extension/manifest.ts';
import { fetchNode, runtimes } from '../../tools/testing/runtimes.ts';

const writes = (folder: string): string => `
  const { writeExtension } = await import('./tools/build-extension.ts');
  for (const target of ${JSON.stringify(targets)}) writeExtension(${JSON.stringify(folder)}, target);`;

/** The packages that a Node writes. */
function packagesBy(node: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-packages-'));
  execFileSync(node, ['--import', 'tsx', '--input-type=module', '--eval', writes(folder)]);
  const names = readdirSync(folder).filter((name) => name.endsWith('.zip'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'hex')]));
}

test('The packages do not depend on the Node that writes them', () => {
  const own = packagesBy(process.execPath);
  expect(Object.keys(own)).toHaveLength(targets.length);
  const other = runtimes[process.version === `v${runtimes[24]}` ? 20 : 24];
  expect(packagesBy(join(fetchNode(other), 'bin', 'node'))).toEqual(own);
});
