import { expect, test } from 'vitest';
import { emailAddress } from '#domain/identity/email/email-address.ts';

test.each([
  ['  Mira@Example.ORG ', 'mira@example.org'],
  ['mira@xn--80a1acny.xn--p1ai', 'mira@почта.рф'],
  ['mira@ПОЧТА.рф', 'mira@почта.рф'],
  ['"a@b"@xn--80a1acny.xn--p1ai', '"a@b"@почта.рф'],
  ['not an address', 'not an address'],
])('The address %j is stored as %s', (typed, stored) => {
  expect(emailAddress(typed)).toBe(stored);
});
