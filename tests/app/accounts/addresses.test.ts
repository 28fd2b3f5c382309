import { expect, test } from 'vitest';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { loader as unverifiedLoader } from '#app/routes/email/unverified.tsx';
import { newcomer, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

const signUp = (email: string) =>
  new Visitor().call(signUpAction, '/auth/signup', { form: signUpForm({ email }) });

test.each([
  ['mira@example.org', 'Mira@EXAMPLE.org'],
  // The same address as different browsers send it: as typed, or in its ASCII form.
  ['mira@почта.рф', 'mira@xn--80a1acny.xn--p1ai'],
  ['otto@xn--80a1acny.xn--p1ai', ' Otto@ПОЧТА.РФ '],
  ["o'neill@example.org", "O'Neill@example.org"],
])(
  'An account created as %s can be signed in to as %s, and the address is taken in both forms',
  async (one, other) => {
    expect((await newcomer(signUpForm({ email: one }))).visitor.cookieNames()).toContain('keepsake_session');
    const form = { email: other, password: signUpForm().password };
    const answer = await new Visitor().call(signInAction, '/auth/signin', { form });
    expect([answer.status, answer.location]).toEqual([302, '/dashboard']);
    for (const email of [one, other]) {
      const { status, body } = await new Visitor().call(signUpAction, '/auth/signup', {
        form: signUpForm({ email, password: 'quite another sentence' }),
      });
      expect([status, body.result.error]).toEqual([409, { email: ['errors.account.emailTaken'] }]);
    }
  },
);

test('An address is stored in one form, the one people read', async () => {
  const saved = [];
  for (const email of ['vera@почта.рф', 'Lida@xn--80a1acny.xn--p1ai', 'ANNA@Straße.example.org']) {
    const { visitor } = await newcomer(signUpForm({ email }));
    const { body } = await visitor.call(unverifiedLoader, '/email/unverified');
    saved.push(body.email);
  }
  expect(saved).toEqual(['vera@почта.рф', 'lida@почта.рф', 'anna@straße.example.org']);
});

test.each([
  'mira',
  'mira@example',
  'mira@example.o',
  'mira@127.0.0.1',
  'mira@[127.0.0.1]',
  'mira@example..org',
  'mira@-example.org',
  'mira@xn--iñvalid.com',
  'мира@почта.рф',
  '.mira@example.org',
  'mi..ra@example.org',
  'mira@otto@example.org',
  'mira@example.org,otto@example.org',
  'Mira <mira@example.org>',
  'mi ra@example.org',
  'mira\u200B@example.org',
])('%s is not a deliverable address', async (email) => {
  const { status, body } = await signUp(email);
  expect([status, body.result.error]).toEqual([400, { email: ['errors.field.email'] }]);
});

test('An address has a maximum length', async () => {
  const { status, body } = await signUp(`${'m'.repeat(243)}@example.org`);
  expect([status, body.result.error]).toEqual([400, { email: ['errors.field.tooLong|{"max":254}'] }]);
});
