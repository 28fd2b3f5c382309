import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Exports of a route whose code the build for the browser leaves out of the router. */
const dropped = / (clientLoader|clientAction|clientMiddleware)\b/;

test('No route uses an ability of the router that the build drops', () => {
  const found = execFileSync('git', ['ls-files', 'app/routes', 'app/root.tsx'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '');
  expect(found.length).toBeGreaterThan(50);
  const using = found.filter((file) => dropped.test(readFileSync(file, 'utf8')));
  expect(using).toEqual([]);
});
