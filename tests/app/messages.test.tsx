import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { createRoutesStub } from 'react-router';
import { expect, test } from 'vitest';
import { VerifyNotice } from '#app/components/verify-notice.tsx';
import { unverified, verified } from '#app/middleware/guards.server.ts';
import { action as passwordAction } from '#app/routes/account/password.tsx';
import { action as resetAction } from '#app/routes/auth/reset-password.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { action as contactAction } from '#app/routes/contact/contact.tsx';
import { action as resendAction } from '#app/routes/email/unverified.tsx';
import { translations } from '#app/services/translations.server.ts';
import { member, newcomer, signUpForm } from './support/member.ts';
import { type Answer, Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();
const page = () => null;
const say = translations('en').t as (key: string) => string;

/** The message of an answer in English: what a form says above its fields, or what waits for the next page. */
function messageOf({ body, toast }: Answer): string {
  const [formError] = (body?.result?.error?.[''] ?? []) as string[];
  return say(formError ?? toast ?? '');
}

const letter = { name: 'Demo guest', email: 'guest@example.org', message: 'Hello' };
const reset = { email: 'nobody@example.org', token: 'x', password: 'a fresh sentence' };

/** Messages of the specification, each with the deed that ends in it. */
const deeds: [message: string, deed: () => Promise<Answer>][] = [
  [
    'You must be authorized to see this page.',
    () => new Visitor().call(page, '/dashboard', { guard: verified }),
  ],
  [
    'Please check your email and password.',
    () =>
      new Visitor().call(signInAction, '/auth/signin', {
        form: { email: 'nobody@example.org', password: 'wrong' },
      }),
  ],
  [
    'Please check your email and password.',
    () =>
      new Visitor().call(resetAction, '/auth/reset-password', {
        form: { ...reset, password_confirmation: reset.password },
      }),
  ],
  [
    'Invalid captcha.',
    () => new Visitor().call(signUpAction, '/auth/signup', { form: signUpForm({ without_script: '' }) }),
  ],
  ['Invalid captcha.', () => new Visitor().call(contactAction, '/contact_us', { form: letter })],
  ['Successful registration', () => new Visitor().call(signUpAction, '/auth/signup', { form: signUpForm() })],
  [
    'Message sent!',
    () => new Visitor().call(contactAction, '/help', { form: { ...letter, without_script: 'on' } }),
  ],
  [
    'Password updated',
    async () =>
      (await member()).visitor.call(passwordAction, '/profile/password', {
        form: { current: 'a short sentence', next: 'a fresh sentence' },
        guard: verified,
      }),
  ],
  [
    'Verification email has been sent',
    async () =>
      (await newcomer()).visitor.call(resendAction, '/email/unverified', { form: {}, guard: unverified }),
  ],
];

test.each(deeds)('“%s” is said, word for word', async (message, deed) => {
  expect(messageOf(await deed())).toBe(message);
});

test('Who has yet to verify is told so on the page that they are sent to', () => {
  const Page = createRoutesStub([{ path: '/', Component: () => <VerifyNotice email="demo@example.org" /> }]);
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={translations('en')}>
      <Page initialEntries={['/']} />
    </I18nextProvider>,
  );
  expect(html).toContain('Your profile is not verified. Please check your mail for the verification link.');
});
