import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shapesDocument } from '../../tools/documents/shapes-document.ts';

test.each(Object.entries(shapesDocument()))('%s is what npm run docs:shapes writes', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
