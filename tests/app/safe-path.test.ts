import { expect, test } from 'vitest';
import { safePath } from '#app/services/sign-in/safe-redirect.server.ts';

test.each(['/', '/rules', '/rules?after=1#top', '/a//b', '/%2f%2fevil.example'])(
  '%s is a local path',
  (path) => {
    expect(safePath(path)).toBe(path);
  },
);

test.each([
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\\\\evil.example',
  ' //evil.example',
  '/..//evil.example',
  '/.//evil.example',
  'javascript:alert(1)',
  'rules',
  '',
  null,
  undefined,
  {},
])('%j is not followed', (path) => {
  expect(safePath(path, '/fallback')).toBe('/fallback');
});
