import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosePassword } from '#domain/identity/password/choose-password.ts';
import { isPassword } from '#domain/identity/password/password.ts';

const owner = { email: 'Lena.Sommer@mail.example.org', name: 'Zockerlena', site: 'rewards.example.com' };
const codeOf = async (password: string, of = owner) => {
  const chosen = await choosePassword(password, of);
  return chosen.ok ? 'chosen' : chosen.code;
};

test.each([
  'password123',
  'Password1!',
  'P@ssw0rd123',
  '1234567890',
  'qwertyuiop',
  'zaq12wsxcde3',
  'iloveyou123',
  'aaaaaaaaaaaa',
  'abcdefghijkl',
  '31.12.2024',
  'йцукенгшщз',
  'пароль1234',
  'Привет12345',
])('What everybody tries first is refused: %s', async (password) => {
  expect(await codeOf(password)).toBe('passwordCommon');
});

test.each([
  'lena.sommer@mail.example.org',
  'LENA.SOMMER',
  'lenasommer1',
  'sommer-lena',
  'zockerlena',
  'anelrekcoz',
  'Zockerlena2026!',
  'keepsake2026',
  'K33psake!!1',
  'rewards.example.com',
  'Keepsake Keepsake',
  'lena_sommer, Zockerlena!',
])('What is known of its owner, or of the site, is refused: %s', async (password) => {
  expect(await codeOf(password)).toBe('passwordPersonal');
});

test('A name in Cyrillic letters is known too', async () => {
  expect(await codeOf('Златозара1', { ...owner, name: 'Златозара' })).toBe('passwordPersonal');
  expect(await codeOf('Златозара1')).toBe('chosen');
});

test.each(['a short sentence', 'три слова и точка', 'kq8vmz2hxp', '7391-5046-8827', 'uXb#9pL!d2'])(
  'A few words, or signs by chance, are accepted whatever they consist of: %s',
  async (password) => {
    const chosen = await choosePassword(password, owner);
    expect(await isPassword(password, chosen.ok ? chosen.passwordHash : null)).toBe(true);
  },
);

test('A long address is known whole, and only the beginning of a long password is read', async () => {
  const local = 'a-very-long-local-part-of-an-address-that-nobody-would-type-at-all-twice';
  expect(await codeOf(`${local}@example.org`, { ...owner, email: `${local}@example.org` })).toBe(
    'passwordPersonal',
  );
  expect(await codeOf('a'.repeat(200))).toBe('passwordCommon');
  expect(await codeOf(`${'a'.repeat(64)} and then a sentence`)).toBe('passwordCommon');
});

test('No input makes the check fail', async () => {
  const text = fc.string({ unit: 'binary', minLength: 10, maxLength: 200 });
  const name = fc.string({ unit: 'grapheme', maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(text, name, async (password, written) => {
      expect(['chosen', 'passwordCommon', 'passwordPersonal']).toContain(
        await codeOf(password, { ...owner, name: written }),
      );
    }),
    { numRuns: 15 },
  );
});
