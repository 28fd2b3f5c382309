import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createVault } from '#platform/vault.ts';

const key = () => randomBytes(32).toString('base64');
const vault = createVault(key());

test.each(['', 'a refresh token', 'жетон 🎟', 'x'.repeat(10_000)])(
  'A sealed text can be opened again (%#)',
  (text) => {
    expect(vault.open(vault.seal(text, 'twitch:1'), 'twitch:1')).toBe(text);
  },
);

test('The same text is sealed differently each time, and is never readable', () => {
  const [one, two] = [vault.seal('secret token', 'twitch:1'), vault.seal('secret token', 'twitch:1')];
  expect(one).not.toBe(two);
  expect(Buffer.from(one.slice(3), 'base64url').toString('latin1')).not.toContain('secret');
});

test('A sealed text cannot be opened in another place or with another key', () => {
  const sealed = vault.seal('token', 'twitch:1');
  expect(() => vault.open(sealed, 'twitch:2')).toThrow();
  expect(() => createVault(key()).open(sealed, 'twitch:1')).toThrow();
});

test('A text changed in any position cannot be opened', () => {
  const bytes = Buffer.from(vault.seal('token', 'twitch:1').slice(3), 'base64url');
  for (let place = 0; place < bytes.length; place++) {
    const altered = Buffer.from(bytes);
    altered[place] = (altered[place] ?? 0) ^ 1;
    expect(() => vault.open(`v1.${altered.toString('base64url')}`, 'twitch:1'), `byte ${place}`).toThrow();
  }
});

test('A truncated text cannot be opened, whatever its length', () => {
  const bytes = Buffer.from(vault.seal('', 'twitch:1').slice(3), 'base64url');
  for (let length = 0; length < bytes.length; length++) {
    const cut = `v1.${bytes.subarray(0, length).toString('base64url')}`;
    expect(() => vault.open(cut, 'twitch:1'), `${length} bytes`).toThrow();
  }
  expect(() => vault.open('', 'twitch:1')).toThrow();
  expect(() => vault.open('not sealed at all', 'twitch:1')).toThrow();
});

test.each(['', 'short', randomBytes(16).toString('base64'), randomBytes(33).toString('base64')])(
  'A key that is not 32 bytes is refused (%#)',
  (wrong) => {
    expect(() => createVault(wrong)).toThrow('must be 32 bytes');
  },
);
