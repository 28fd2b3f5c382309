import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { signedIn, signedOut, unverified, verified } from '#app/middleware/guards.server.ts';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as signOutAction } from '#app/routes/auth/signout.tsx';
import { action as signUpAction, loader as signUpLoader } from '#app/routes/auth/signup.tsx';
import { loader as dashboardLoader } from '#app/routes/dashboard/dashboard.tsx';
import { action as resendAction, loader as unverifiedLoader } from '#app/routes/email/unverified.tsx';
import { action as verifyAction, loader as verifyLoader } from '#app/routes/email/verify.tsx';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { users } from '#db/schema/user.ts';
import { mailedTokens, member, newcomer, signUpForm } from '../support/member.ts';
import { Reader, wordsOf } from '../support/site.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
const page = () => null;

test('Signing up signs the browser in, queues the mail and asks the user to open it', async () => {
  const visitor = new Visitor();
  const form = signUpForm();
  const answer = await visitor.call(signUpAction, '/auth/signup', { form });
  expect(answer).toMatchObject({ status: 302, location: '/email/unverified', toast: 'messages.registered' });
  expect(await mailedTokens(form.email)).toHaveLength(1);
  const seen = await visitor.call(unverifiedLoader, '/email/unverified', { guard: unverified });
  expect(seen.body).toMatchObject({ email: form.email, pending: null, hasPassword: true });
});

test('The session cookie is not readable by scripts and not sent with cross-site requests', async () => {
  const visitor = new Visitor();
  const answer = await visitor.call(signUpAction, '/auth/signup', { form: signUpForm() });
  const cookie = answer.setCookies.find((each) => each.startsWith(sessionCookieName())) ?? '';
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toMatch(/SameSite=Lax/);
  expect(cookie).toMatch(/Max-Age=15552000/);
});

test.each([
  [{ email: 'mira' }, { email: ['errors.field.email'] }],
  [{ email: '' }, { email: ['errors.field.email'] }],
  [{ name: '  ' }, { name: ['errors.field.name'] }],
  [{ password: '' }, { password: ['errors.field.password'] }],
  [{ password: 'short' }, { password: ['errors.field.tooShort|{"min":10}'] }],
  [{ password: 'password123' }, { password: ['errors.account.passwordCommon'] }],
  [
    { email: 'zockerlena@example.org', password: 'zockerlena1' },
    { password: ['errors.account.passwordPersonal'] },
  ],
  [{ terms: '' }, { terms: ['errors.field.accept'] }],
])('Signing up with %j is refused next to the field', async (more, error) => {
  const form = signUpForm(more as Record<string, string>);
  const answer = await new Visitor().call(signUpAction, '/auth/signup', { form });
  expect(answer.status).toBe(400);
  expect(answer.body.result.error).toEqual(error);
  if (form.password) expect(JSON.stringify(answer.body)).not.toContain(form.password);
});

test('Signing up with a registered address is refused and leaves its account unchanged', async () => {
  const { email } = await member();
  const form = { ...signUpForm(), email: email.toUpperCase(), password: 'another sentence' };
  const visitor = new Visitor();
  const answer = await visitor.call(signUpAction, '/auth/signup', { form });
  expect(answer.status).toBe(409);
  expect(answer.body.result.error).toEqual({ email: ['errors.account.emailTaken'] });
  expect(visitor.cookieNames()).not.toContain(sessionCookieName());
});

test('Submitting the form twice creates one account and leaves the browser signed in', async () => {
  const visitor = new Visitor();
  const form = signUpForm();
  const answers = await Promise.all([1, 2].map(() => visitor.call(signUpAction, '/auth/signup', { form })));
  expect(answers.map((answer) => answer.location)).toEqual(['/email/unverified', '/email/unverified']);
  expect(await mailedTokens(form.email)).toHaveLength(1);
  const seen = await visitor.call(unverifiedLoader, '/email/unverified', { guard: unverified });
  expect(seen.body).toMatchObject({ email: form.email, pending: null, hasPassword: true });
});

test('An unknown address, a wrong password and an account without a password get the same answer', async () => {
  const { email } = await member();
  const other = await member();
  const db = await database();
  await db.transaction((tx) =>
    tx.update(users).set({ passwordHash: null }).where(eq(users.email, other.email)),
  );
  const answers = [];
  for (const tried of [email, other.email, 'nobody@example.org']) {
    const form = { email: tried, password: 'not my password' };
    const { headers, body, ...answer } = await new Visitor().call(signInAction, '/auth/signin', { form });
    const reported = JSON.stringify(body).replaceAll(tried, '');
    answers.push({ ...answer, reported, headers: [...headers] });
  }
  const [first] = answers;
  expect(first?.status).toBe(400);
  expect(first?.reported).toContain('errors.session.badCredentials');
  expect(answers).toEqual([first, first, first]);
});

test('Signing in replaces the browser’s session token', async () => {
  const { email } = await member();
  const visitor = new Visitor();
  const form = { email: email.toUpperCase(), password: 'a short sentence' };
  await visitor.call(signInAction, '/auth/signin', { form });
  const first = visitor.cookie(sessionCookieName());
  const answer = await visitor.call(signInAction, '/auth/signin', { form });
  expect(answer.location).toBe('/dashboard');
  expect(visitor.cookie(sessionCookieName())).not.toBe(first);
  const thief = new Visitor();
  thief.plant(sessionCookieName(), first ?? '');
  expect((await thief.call(page, '/dashboard', { guard: verified })).location).toBe('/auth/signup');
});

test('After too many wrong passwords from an IP address, further ones are not checked; elsewhere the owner signs in', async () => {
  const { email } = await member();
  const form = { email, password: 'not my password' };
  const guesser = new Visitor();
  for (let tried = 0; tried < 10; tried++) await guesser.call(signInAction, '/auth/signin', { form });
  const right = { email, password: 'a short sentence' };
  const answer = await guesser.call(signInAction, '/auth/signin', { form: right });
  expect(answer.status).toBe(429);
  expect(answer.body.result.error).toEqual({ '': ['errors.page.tooManyFor|{"count":15}'] });
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(800);
  const owner = await new Visitor().call(signInAction, '/auth/signin', { form: right });
  expect(owner.status).toBe(302);
});

test('A visitor on a guarded page is redirected to sign-up, with the reason', async () => {
  for (const guard of [verified, signedIn, unverified]) {
    const answer = await new Visitor().call(page, '/dashboard', { guard });
    expect(answer).toMatchObject({ location: '/auth/signup', toast: 'errors.session.required' });
  }
});

test('A forged session cookie counts as no session', async () => {
  const visitor = new Visitor();
  for (const value of ['x', 'ImZvcmdlZCI%3D', '%', 'e30=']) {
    visitor.plant(sessionCookieName(), value);
    expect((await visitor.call(page, '/dashboard', { guard: verified })).location).toBe('/auth/signup');
  }
});

test('Each session state opens its own pages and is redirected from the others', async () => {
  const fresh = (await newcomer()).visitor;
  const known = (await member()).visitor;
  const led = async (visitor: Visitor, guard: typeof verified) =>
    (await visitor.call(page, '/', { guard })).location;
  expect(await led(fresh, verified)).toBe('/email/unverified');
  expect(await led(fresh, unverified)).toBeNull();
  expect(await led(fresh, signedOut)).toBe('/dashboard');
  expect(await led(known, verified)).toBeNull();
  expect(await led(known, unverified)).toBe('/dashboard');
  expect(await led(known, signedOut)).toBe('/dashboard');
});

test('The link in the mail works once, also in a browser that is not signed in', async () => {
  const { visitor, email } = await newcomer();
  const [token = ''] = await mailedTokens(email);
  const elsewhere = new Visitor();
  const take = (who: Visitor) => who.call(verifyAction, '/email/verify', { form: { token } });
  const done = { status: 302, toast: 'auth.verify.doneTitle' };
  expect(await take(elsewhere)).toMatchObject({ ...done, location: '/auth/signin' });
  expect((await visitor.call(page, '/dashboard', { guard: verified })).location).toBeNull();
  const again = await take(elsewhere);
  expect(again.status).toBe(410);
  expect(again.body).toMatchObject({ kind: 'failed', error: 'errors.account.verificationUsed' });
  expect(await take(visitor)).toMatchObject({ ...done, location: '/dashboard' });
  const own = await visitor.call(verifyLoader, `/email/verify?token=${token}`);
  expect(own).toMatchObject({ status: 302, location: '/dashboard', toast: null });
});

test('Verifying while signed out succeeds and asks to sign in; a used link is reported as used', async () => {
  const { email } = await newcomer();
  const [token = ''] = await mailedTokens(email);
  const reader = new Reader('en');
  const page = await reader.open(`/email/verify?token=${token}`);
  const [, action = ''] = /<form[^>]* action="([^"]*)"[^>]*><input[^>]* name="token"/.exec(page.html) ?? [];
  const done = await reader.open(action, { token });
  expect([done.status, done.path]).toEqual([200, '/auth/signin']);
  expect(wordsOf(done.html)).toContain('Your email is verified');
  const again = await reader.open(action, { token });
  expect([again.status, again.path]).toEqual([410, action]);
  expect(wordsOf(again.html)).toContain('This link did not work');
});

test('A mail scanner that opens the link does not use it up', async () => {
  const { visitor, email } = await newcomer();
  const [token = ''] = await mailedTokens(email);
  for (let opened = 0; opened < 3; opened++) {
    const seen = await new Visitor().call(verifyLoader, `/email/verify?token=${token}`);
    expect(seen.body).toEqual({ kind: 'confirm', email, token });
  }
  expect((await visitor.call(page, '/dashboard', { guard: verified })).location).toBe('/email/unverified');
});

test('Verifying gives the signed-in browser a new token and ends the old one', async () => {
  const { visitor, email } = await newcomer();
  const [token = ''] = await mailedTokens(email);
  const copy = new Visitor();
  copy.plant(sessionCookieName(), visitor.cookie(sessionCookieName()) ?? '');
  await visitor.call(verifyAction, '/email/verify', { form: { token } });
  expect((await visitor.call(page, '/dashboard', { guard: verified })).location).toBeNull();
  expect(await copy.call(page, '/dashboard', { guard: verified })).toMatchObject({
    status: 307,
    location: '/dashboard',
    body: null,
  });
});

test('An invalid link is reported as invalid', async () => {
  for (const token of ['', 'nonsense']) {
    const answer = await new Visitor().call(verifyLoader, `/email/verify?token=${token}`);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toBe('errors.account.verificationUnknown');
  }
});

test('Without a token, the page about the mail is only for users who are not verified yet', async () => {
  const { visitor, email } = await newcomer();
  expect((await visitor.call(verifyLoader, '/email/verify')).body).toEqual({ kind: 'waiting', email });
  const known = (await member()).visitor;
  expect((await known.call(verifyLoader, '/email/verify')).location).toBe('/dashboard');
  expect((await new Visitor().call(verifyLoader, '/email/verify')).location).toBe('/auth/signup');
});

test('The mail can be sent again, a limited number of times', async () => {
  const { visitor, email } = await newcomer();
  const resend = () => visitor.call(resendAction, '/email/unverified', { form: {}, guard: unverified });
  const answer = await resend();
  expect(answer).toMatchObject({ location: '/email/unverified', toast: 'messages.verificationSent' });
  expect(await mailedTokens(email)).toHaveLength(2);
  for (let sent = 2; sent <= 5; sent++) await resend();
  expect((await resend()).status).toBe(429);
  expect(await mailedTokens(email)).toHaveLength(6);
});

test('Signing out ends the session, also for a copied cookie', async () => {
  const { visitor } = await member();
  const copy = new Visitor();
  copy.plant(sessionCookieName(), visitor.cookie(sessionCookieName()) ?? '');
  const answer = await visitor.call(signOutAction, '/auth/signout', { form: {}, guard: signedIn });
  expect(answer.location).toBe('/auth/signin');
  expect(visitor.cookieNames()).not.toContain(sessionCookieName());
  expect((await copy.call(page, '/dashboard', { guard: verified })).location).toBe('/auth/signup');
});

test('The dashboard lists the remaining steps', async () => {
  const { visitor } = await member();
  const { body } = await visitor.call(dashboardLoader, '/dashboard', { guard: verified });
  expect(body.readiness).toEqual({
    twitch: false,
    permissions: false,
    steam: false,
    tradeLink: false,
    item: false,
    rule: false,
  });
});

test('A forced reload clears the browser’s stored data', async () => {
  const { visitor } = await member();
  const context = await visitor.call(page, '/dashboard?force_reload=1', { guard: verified });
  expect(context.headers.get('Clear-Site-Data')).toBe('"cache"');
});

test('Form fields carry their limits as attributes, so that browsers check them without JavaScript', async () => {
  const { body } = await new Visitor().call(signUpLoader, '/auth/signup', { guard: signedOut });
  expect(body.constraint).toMatchObject({
    name: { required: true, maxLength: 50 },
    email: { required: true },
    password: { required: true, minLength: 10, maxLength: 200 },
    terms: { required: true },
  });
});

test('A mistyped address is replaced on the page that waits for its link, with the password', async () => {
  const visitor = new Visitor();
  const { password, email: mistyped } = signUpForm();
  await visitor.call(signUpAction, '/auth/signup', { form: { ...signUpForm(), email: mistyped, password } });
  const email = `right-${mistyped}`;
  const send = (form: Record<string, string>) =>
    visitor.call(resendAction, '/email/unverified', { form: { other: '1', ...form }, guard: unverified });
  const wrong = await send({ email, password: 'not my password' });
  expect(wrong.body.result.error).toMatchObject({ '': ['errors.account.passwordWrong'] });
  expect(await mailedTokens(email)).toEqual([]);
  expect(await send({ email, password })).toMatchObject({
    location: '/email/unverified',
    toast: 'identity.email.sent',
  });
  const seen = await visitor.call(unverifiedLoader, '/email/unverified', { guard: unverified });
  expect(seen.body).toMatchObject({ email: mistyped, pending: email });
  const [token = ''] = await mailedTokens(email);
  await visitor.call(verifyAction, '/email/verify', { form: { token } });
  const [user] = await (await database()).read.select().from(users).where(eq(users.email, email));
  expect(user?.emailVerifiedAtMs).not.toBeNull();
  const db = await database();
  expect(await db.read.$count(users, eq(users.email, mistyped))).toBe(0);
});
