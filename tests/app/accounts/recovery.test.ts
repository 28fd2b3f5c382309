import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { action as emailAction } from '#app/routes/account/email.tsx';
import { action as nameAction } from '#app/routes/account/name.tsx';
import { action as passwordAction } from '#app/routes/account/password.tsx';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { action as forgotAction } from '#app/routes/auth/forgot-password.tsx';
import { action as resetAction, loader as resetLoader } from '#app/routes/auth/reset-password.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as verifyAction } from '#app/routes/email/verify.tsx';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { attempts } from '#db/schema/access.ts';
import { mails } from '#db/schema/outbox.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
beforeEach(async () => (await database()).transaction((tx) => tx.delete(attempts) as never));

const password = 'a short sentence';
const page = () => null;
const isIn = async (visitor: Visitor) =>
  (await visitor.call(page, '/dashboard', { guard: verified })).location === null;
const forgot = (email: string, visitor = new Visitor()) =>
  visitor.call(forgotAction, '/auth/forgot-password', { form: { email } });
const signIn = (email: string, secret: string, visitor = new Visitor()) =>
  visitor.call(signInAction, '/auth/signin', { form: { email, password: secret } });

async function lastMail(template: string, recipient: string) {
  const db = await database();
  const rows = await db.read.select().from(mails).where(eq(mails.recipient, recipient)).orderBy(mails.id);
  return rows.filter((row) => row.template === template).at(-1);
}
async function resetForm(email: string, next = 'a fresh sentence') {
  await forgot(email);
  const token = (await lastMail('resetPassword', email))?.values.token ?? '';
  return { email, token, password: next, password_confirmation: next };
}
const reset = (form: Record<string, string>, visitor = new Visitor()) =>
  visitor.call(resetAction, '/auth/reset-password', { form });

test('A forgotten password is reset by mail, and every browser is signed out', async () => {
  const { visitor, email } = await member();
  const form = await resetForm(email);
  const open = async () => {
    const address = `/auth/reset-password?token=${form.token}&email=${encodeURIComponent(email)}`;
    return (await new Visitor().call(resetLoader, address)).body;
  };
  expect(await open()).toMatchObject({ token: form.token, email, isOpen: true });
  expect(await reset(form)).toMatchObject({ location: '/auth/signin', toast: 'messages.passwordUpdated' });
  expect(await open()).toMatchObject({ isOpen: false });
  expect(await isIn(visitor)).toBe(false);
  expect((await signIn(email, password)).status).toBe(400);
  expect((await signIn(email, form.password)).location).toBe('/dashboard');
});

test('A password that is guessed first is refused at its field, by a link and in the profile', async () => {
  const { email, visitor } = await member();
  const form = await resetForm(email, 'qwertyuiop');
  const answer = await reset(form);
  expect(answer.status).toBe(400);
  expect(answer.body.result.error).toEqual({ password: ['errors.account.passwordCommon'] });
  expect(JSON.stringify(answer.body)).not.toContain(form.password);
  const change = { form: { current: password, next: email } };
  const refused = await visitor.call(passwordAction, '/profile/password', change);
  expect(refused.status).toBe(400);
  expect(refused.body.result.error).toEqual({ next: ['errors.account.passwordPersonal'] });
  const other = { ...form, password: 'a fresh sentence', password_confirmation: 'a fresh sentence' };
  expect((await reset(other)).location).toBe('/auth/signin');
});

test('A reset request gets the same answer whether the address has an account or not', async () => {
  const { email } = await member();
  const known = await forgot(email);
  const unknown = await forgot('nobody-here@example.org');
  expect(known.status).toBe(200);
  expect({ ...unknown, body: { ...unknown.body, sentTo: email } }).toEqual(known);
  expect([...unknown.headers]).toEqual([...known.headers]);
  for (let asked = 1; asked < 5; asked++) {
    await forgot(email);
    await forgot('nobody-here@example.org');
  }
  expect((await forgot(email)).status).toBe(429);
  expect((await forgot('nobody-here@example.org')).status).toBe(429);
});

test('A used link, another account’s address and a forged link get the same answer', async () => {
  const { email } = await member();
  const other = await member();
  const form = await resetForm(email);
  const bad = { '': ['errors.session.badCredentials'] };
  for (const wrong of [{ token: 'made-up' }, { email: other.email }, { email: 'nobody-here@example.org' }]) {
    const answer = await reset({ ...form, ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.body.result.error).toEqual(bad);
    expect(JSON.stringify(answer.body)).not.toContain(form.password);
  }
  await reset(form);
  expect((await reset(form)).body.result.error).toEqual(bad);
});

test('Two different passwords are refused next to the second field', async () => {
  const { email } = await member();
  const form = await resetForm(email);
  const answer = await reset({ ...form, password_confirmation: 'another sentence' });
  expect(answer.body.result.error).toEqual({ password_confirmation: ['errors.field.passwordsDiffer'] });
  expect((await reset(form)).location).toBe('/auth/signin');
});

test('Reset links cannot be guessed: after several attempts the address has to wait', async () => {
  const { email } = await member();
  const form = await resetForm(email);
  const guesser = new Visitor();
  for (let tried = 0; tried < 30; tried++) await reset({ ...form, token: `guess-${tried}` }, guesser);
  const answer = await reset({ ...form, token: 'one more' }, guesser);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('A user who guessed too often can sign in from there after a reset', async () => {
  const { email } = await member();
  const visitor = new Visitor();
  for (let tried = 0; tried < 11; tried++) await signIn(email, 'not my password', visitor);
  expect((await signIn(email, password, visitor)).status).toBe(429);
  const form = await resetForm(email);
  await reset(form, visitor);
  expect((await signIn(email, form.password, visitor)).location).toBe('/dashboard');
});

test('A new password signs out the other browsers and gives this one a new token', async () => {
  const { visitor, email } = await member();
  const other = new Visitor();
  await signIn(email, password, other);
  const copy = new Visitor();
  copy.plant(sessionCookieName(), visitor.cookie(sessionCookieName()) ?? '');
  const form = { current: password, next: 'a fresh sentence' };
  const answer = await visitor.call(passwordAction, '/profile/password', { form, guard: verified });
  expect(answer.toast).toBe('messages.passwordUpdated');
  expect([await isIn(visitor), await isIn(other), await isIn(copy)]).toEqual([true, false, false]);
});

test('A new address takes effect once its link is opened, and the old address is notified', async () => {
  const { visitor, email } = await member();
  const wanted = `new-${email}`;
  const change = (form: Record<string, string>) =>
    visitor.call(emailAction, '/profile/email', { form, guard: verified });
  expect((await change({ email: wanted, password: 'wrong' })).body.result.error).toEqual({
    '': ['errors.account.passwordWrong'],
  });
  expect((await change({ email, password })).body.result.error).toEqual({
    email: ['errors.account.emailUnchanged'],
  });
  expect(await change({ email: wanted, password })).toMatchObject({
    location: '/profile',
    toast: 'identity.email.sent',
  });
  const profile = async () => (await visitor.call(profileLoader, '/profile', { guard: verified })).body;
  expect(await profile()).toMatchObject({ account: { email }, pendingEmail: wanted });
  const token = (await lastMail('changeEmail', wanted))?.values.token ?? '';
  const taken = await new Visitor().call(verifyAction, '/email/verify', { form: { token } });
  expect(taken).toMatchObject({ location: '/auth/signin', toast: 'auth.verify.doneTitle' });
  expect(await profile()).toMatchObject({ account: { email: wanted, verified: true }, pendingEmail: null });
  expect(await lastMail('emailChanged', email)).toMatchObject({ values: { email: wanted } });
  expect((await signIn(wanted, password)).location).toBe('/dashboard');
  expect((await signIn(email, password)).status).toBe(400);
});

test('Changing to a taken address gets the same answer as a free one, and changes nothing', async () => {
  const other = await member();
  const seen = async (wanted: string) => {
    const { visitor, email } = await member();
    const form = { email: wanted, password };
    const { setCookies, message, ...answer } = await visitor.call(emailAction, '/profile/email', {
      form,
      guard: verified,
    });
    const { body } = await visitor.call(profileLoader, '/profile', { guard: verified });
    expect(body).toMatchObject({ account: { email }, pendingEmail: wanted });
    const cookies = setCookies.map((line) => line.replace(/=[^;]*/, ''));
    const headers = [...answer.headers].filter(([name]) => name !== 'set-cookie');
    return { ...answer, headers, cookies, message: { ...message, id: 0, values: {} } };
  };
  expect(await seen(other.email)).toEqual(await seen(`free-${other.email}`));
  expect(await lastMail('emailWanted', other.email)).toBeDefined();
  expect(await lastMail('changeEmail', other.email)).toBeUndefined();
});

test('An address that was taken before its link was opened is refused with an explanation', async () => {
  const { visitor, email } = await member();
  const wanted = `race-${email}`;
  const form = { email: wanted, password };
  await visitor.call(emailAction, '/profile/email', { form, guard: verified });
  const token = (await lastMail('changeEmail', wanted))?.values.token ?? '';
  await member({ ...signUpForm(), email: wanted });
  const late = await visitor.call(verifyAction, '/email/verify', { form: { token } });
  expect(late).toMatchObject({ status: 409, body: { kind: 'failed', error: 'errors.account.emailTaken' } });
});

test('A name can be changed, but not to an empty one, or one with line breaks or direction overrides', async () => {
  const { visitor } = await member();
  const rename = (name: string) =>
    visitor.call(nameAction, '/profile/name', { form: { name }, guard: verified });
  expect((await rename('Demo <b>person</b>')).toast).toBe('identity.name.done');
  for (const name of [
    '',
    ' ',
    'a\nb',
    'a\r\nBcc: x@example.org',
    'moc.\u202Eeliak',
    'ze\u200Bro',
    'x'.repeat(51),
  ])
    expect((await rename(name)).status).toBe(400);
  const { body } = await visitor.call(profileLoader, '/profile', { guard: verified });
  expect(body.account.name).toBe('Demo <b>person</b>');
});

test('Unknown form fields change nothing', async () => {
  const { visitor, email } = await member();
  const form = {
    name: 'Demo person',
    email: 'thief@example.org',
    id: 'x',
    verified: 'on',
    passwordHash: 'x',
  };
  await visitor.call(nameAction, '/profile/name', { form, guard: verified });
  const { body } = await visitor.call(profileLoader, '/profile', { guard: verified });
  expect(body.account).toMatchObject({ name: 'Demo person', email });
});
