import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  gypfile?: boolean;
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};
const readManifest = (path: string) =>
  JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { gypfile?: boolean };

test('npm compiles no package that says it brings what it needs', () => {
  // npm reads that from the lock file alone, and leaves it out when it writes the entry anew: put `"gypfile": false` back.
  const brought = Object.keys(packages).filter(
    (path) => path !== '' && existsSync(join(path, 'binding.gyp')) && readManifest(path).gypfile === false,
  );
  expect(brought).toContain('node_modules/better-sqlite3');
  for (const path of brought) expect({ path, ...packages[path] }).toMatchObject({ path, gypfile: false });
});
