import './support/web.ts';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { extensionCodeOf } from '#tests/domain/account/people.ts';
import { App } from './support/app.ts';
import { holdToken, signIn, viewer } from './support/people.ts';

const api = '/api/v1';
const password = 'a short sentence';
let numbers = 0;
const person = (more: object = {}) => ({
  name: 'Demo person',
  email: `api-${++numbers}@example.org`,
  password,
  password_confirmation: password,
  terms: true,
  ...more,
});

/** The values of the mails to an address, oldest first. */
async function mailed(email: string) {
  const db = await database();
  return db.read.select().from(mails).where(eq(mails.recipient, email)).orderBy(mails.id);
}

/** An answer's headers without those that differ each time: cookies, nonce, request id. */
const steady = ({ headers }: { headers: Headers }) =>
  [...headers].map(([name, value]) => {
    if (name === 'x-request-id') return [name];
    return [name, value.replace(name === 'set-cookie' ? /=[^;]*/ : /'nonce-[^']*'/, '')];
  });

async function registered(more: object = {}) {
  const app = new App();
  const json = person(more);
  const reply = await app.post(`${api}/register`, { json });
  return { app, json, reply };
}

test('Signing up returns the user, signs in and mails a link that verifies the address', async () => {
  const { app, json, reply } = await registered();
  expect(reply.status).toBe(201);
  expect(reply.body.data.attributes).toMatchObject({ name: json.name, email: json.email, verified: false });
  expect(reply.body.meta.message).toBe('Successful registration');
  const [mail] = await mailed(json.email);
  const token = mail?.values.token ?? '';
  const elsewhere = new App();
  expect((await elsewhere.post(`${api}/email/verifications`, { json: { token } })).status).toBe(200);
  expect((await app.get(`${api}/users`)).body.data.attributes.verified).toBe(true);
  const again = await elsewhere.post(`${api}/email/verifications`, { json: { token } });
  expect(again).toMatchObject({ status: 410, codes: ['verificationUsed'] });
});

test.each([
  [{ name: '' }, '/name', 'required'],
  [{ email: 'mira' }, '/email', 'email'],
  [{ password: 'short', password_confirmation: 'short' }, '/password', 'tooShort'],
  [{ password_confirmation: 'something else' }, '/password_confirmation', 'passwordsDiffer'],
  [{ terms: false }, '/terms', 'accept'],
  [{ terms: undefined }, '/terms', 'accept'],
  [{ name: 'two\nlines' }, '/name', 'invalid'],
  [{ email: 'mira@example.org\r\nBcc: all@example.org' }, '/email', 'email'],
  [{ captcha: 'nonsense' }, '/captcha', 'captchaInvalid'],
])('Signing up with %j is refused next to the field', async (more, pointer, code) => {
  const { reply } = await registered(more);
  expect(reply).toMatchObject({ status: 422, codes: [code] });
  expect(reply.body.errors[0].source).toEqual({ pointer });
  expect(JSON.stringify(reply.body)).not.toContain(password);
});

test('Signing up with a registered address is refused and leaves its account unchanged', async () => {
  const { json } = await registered();
  const { reply, app } = await registered({ email: json.email.toUpperCase() });
  expect(reply).toMatchObject({ status: 409, codes: ['emailTaken'] });
  expect(app.cookie(sessionCookieName())).toBeUndefined();
});

test('Signing in starts a session with a new token, and signing out ends it', async () => {
  const { json } = await registered();
  const app = new App();
  app.plant(sessionCookieName(), 'InBsYW50ZWQi');
  const reply = await app.post(`${api}/login`, { json: { email: json.email, password } });
  expect(reply.body.data.attributes.email).toBe(json.email);
  const session = app.cookie(sessionCookieName()) ?? '';
  expect(session).not.toBe('InBsYW50ZWQi');
  const thief = new App();
  thief.plant(sessionCookieName(), session);
  expect((await thief.get(`${api}/users`)).status).toBe(200);
  expect((await app.post(`${api}/logout`)).status).toBe(200);
  for (const each of [app, thief]) expect((await each.get(`${api}/users`)).codes).toEqual(['unauthorized']);
});

test('The answer to signing in contains the next XSRF-TOKEN', async () => {
  const { app } = await registered();
  const proof = { unproven: true, headers: { 'X-XSRF-TOKEN': app.cookie('XSRF-TOKEN') ?? '' } };
  expect((await app.post(`${api}/logout`, proof)).status).toBe(200);
});

test('An unknown address and a wrong password get the same answer, and too many attempts are refused', async () => {
  const { json } = await registered();
  const wrong = { email: json.email, password: 'not my password' };
  const app = new App();
  const one = await app.post(`${api}/login`, { json: wrong });
  const other = await app.post(`${api}/login`, { json: { ...wrong, email: 'nobody@example.org' } });
  expect(one).toMatchObject({ status: 422, codes: ['wrongCredentials'] });
  expect(one.body).toEqual(other.body);
  expect(steady(one)).toEqual(steady(other));
  expect(one.body.errors[0].detail).toBe('Please check your email and password.');
  for (let tried = 1; tried < 10; tried++) await app.post(`${api}/login`, { json: wrong });
  const late = await app.post(`${api}/login`, { json: { ...wrong, password } });
  expect(late).toMatchObject({ status: 429, codes: ['tooManyRequests'] });
  expect(Number(late.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('A reset request gets the same answer for everybody, and its link works once', async () => {
  const { json } = await registered();
  const known = await new App().post(`${api}/forgot-password`, { json: { email: json.email } });
  const unknown = await new App().post(`${api}/forgot-password`, { json: { email: 'nobody2@example.org' } });
  expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  expect(steady(known)).toEqual(steady(unknown));
  const mail = (await mailed(json.email)).at(-1);
  expect(mail?.template).toBe('resetPassword');
  const next = 'another sentence';
  const asked = { email: json.email, token: mail?.values.token, password: next, password_confirmation: next };
  const wrong = await new App().post(`${api}/reset-password`, { json: { ...asked, token: 'nonsense' } });
  expect(wrong).toMatchObject({ status: 422, codes: ['resetLinkBad'] });
  const reset = await new App().post(`${api}/reset-password`, { json: asked });
  expect(reset.body.meta.message).toBe('Password updated');
  expect((await new App().post(`${api}/reset-password`, { json: asked })).status).toBe(422);
  const app = new App();
  expect((await app.post(`${api}/login`, { json: { email: json.email, password: next } })).status).toBe(200);
});

test('The verification mail can be sent again until the address is verified', async () => {
  const { app, json } = await registered();
  const reply = await app.post(`${api}/email/verification-notification`);
  expect([reply.status, reply.body.meta.message]).toEqual([202, 'Verification email has been sent']);
  expect(await mailed(json.email)).toHaveLength(2);
  const known = await viewer();
  expect((await known.app.post(`${api}/email/verification-notification`)).codes).toEqual(['alreadyVerified']);
});

async function verifiedUser() {
  const { app, json } = await registered();
  const [mail] = await mailed(json.email);
  await app.post(`${api}/email/verifications`, { json: { token: mail?.values.token } });
  return { app, json };
}

test('Name and settings change immediately', async () => {
  const { app } = await verifiedUser();
  const json = { name: 'Other name', settings: { language: 'ru', theme: 'dark', notify_by_mail: false } };
  const { body } = await app.patch(`${api}/users`, { json });
  expect(body.data.attributes).toMatchObject(json);
  expect(body.meta).toEqual({ email_pending: null });
});

test('Verifying an address gives the session a new token, only in that account’s browser', async () => {
  const { app, json } = await registered();
  const before = app.cookie(sessionCookieName()) ?? '';
  const [mail] = await mailed(json.email);
  const { app: other } = await verifiedUser();
  const others = other.cookie(sessionCookieName());
  await app.post(`${api}/email/verifications`, { json: { token: mail?.values.token } });
  expect(app.cookie(sessionCookieName())).not.toBe(before);
  expect((await app.get(`${api}/users`)).body.data.attributes.verified).toBe(true);
  const copy = new App();
  copy.plant(sessionCookieName(), before);
  expect((await copy.get(`${api}/users`)).status).toBe(401);
  const { json: third } = await registered();
  const [link] = await mailed(third.email);
  await other.post(`${api}/email/verifications`, { json: { token: link?.values.token } });
  expect(other.cookie(sessionCookieName())).toBe(others);
});

test('A new address needs the password and takes effect through its link', async () => {
  const { app, json } = await verifiedUser();
  const email = `new-${json.email}`;
  const wrong = await app.patch(`${api}/users`, { json: { name: 'No', email, current_password: 'wrong' } });
  expect(wrong).toMatchObject({ status: 422, codes: ['passwordWrong'] });
  expect(wrong.body.errors[0].source).toEqual({ pointer: '/current_password' });
  expect((await app.get(`${api}/users`)).body.data.attributes.name).toBe(json.name);
  const { body } = await app.patch(`${api}/users`, { json: { email, current_password: password } });
  expect(body.meta.email_pending).toBe(email);
  expect(body.data.attributes.email).toBe(json.email);
  expect((await mailed(email)).map(({ template }) => template)).toEqual(['changeEmail']);
});

test('A taken address gets the same answer as a free one, and its link is refused if somebody was faster', async () => {
  const { json: other } = await registered();
  const { app, json } = await verifiedUser();
  const ask = (email: string) => app.patch(`${api}/users`, { json: { email, current_password: password } });
  const taken = await ask(other.email);
  expect((await mailed(other.email)).at(-1)?.template).toBe('emailWanted');
  const email = `free-${json.email}`;
  const free = await ask(email);
  expect(free.body.meta).toEqual({ email_pending: email });
  expect(taken).toMatchObject({ status: free.status, body: { data: free.body.data } });
  expect(taken.body.meta).toEqual({ email_pending: other.email });
  expect([...taken.headers.keys()]).toEqual([...free.headers.keys()]);
  const token = (await mailed(email)).at(-1)?.values.token;
  await registered({ email });
  const late = await new App().post(`${api}/email/verifications`, { json: { token } });
  expect(late).toMatchObject({ status: 409, codes: ['emailTaken'] });
});

test('A new password gives this session a new token and ends the others', async () => {
  const { app, json } = await verifiedUser();
  const other = new App();
  await other.post(`${api}/login`, { json: { email: json.email, password } });
  const before = app.cookie(sessionCookieName());
  const next = 'another sentence';
  const { body } = await app.patch(`${api}/users`, {
    json: { current_password: password, password: next, password_confirmation: next },
  });
  expect(body.meta.message).toBe('Password updated');
  expect(app.cookie(sessionCookieName())).not.toBe(before);
  expect((await app.get(`${api}/users`)).status).toBe(200);
  expect((await other.get(`${api}/users`)).status).toBe(401);
});

test('An API token cannot set a password or change the address of an account without a password; its owner can', async () => {
  const { app, userId } = await viewer();
  const program = await holdToken({ userId });
  const next = { password: 'a longer sentence', password_confirmation: 'a longer sentence' };
  for (const json of [next, { email: person().email }]) {
    const refused = { status: 403, codes: ['sessionNeeded'] };
    expect(await program.patch(`${api}/users`, { json })).toMatchObject(refused);
  }
  expect((await program.patch(`${api}/users`, { json: { name: 'By a program' } })).status).toBe(200);
  expect((await app.patch(`${api}/users`, { json: next })).status).toBe(200);
  // From here on the password authorizes the change, whoever sends it.
  const json = { email: person().email, current_password: next.password };
  expect((await program.patch(`${api}/users`, { json })).body.meta.email_pending).toBe(json.email);
});

test('An address change requested together with a new password stays pending, and an older request is dropped', async () => {
  const { app, json } = await verifiedUser();
  const [older, newer] = [`older-${json.email}`, `newer-${json.email}`];
  await app.patch(`${api}/users`, { json: { email: older, current_password: password } });
  const next = 'another sentence';
  const both = { current_password: password, password: next, password_confirmation: next };
  const same = await app.patch(`${api}/users`, { json: { ...both, email: json.email } });
  expect(same).toMatchObject({ status: 422, codes: ['emailUnchanged'] });
  const { body } = await app.patch(`${api}/users`, { json: { ...both, email: newer } });
  expect(body.meta).toMatchObject({ email_pending: newer, message: 'Password updated' });
  const open = async (email: string) =>
    new App().post(`${api}/email/verifications`, {
      json: { token: (await mailed(email)).at(-1)?.values.token },
    });
  expect((await open(older)).codes).toEqual(['verificationUsed']);
  expect((await open(newer)).status).toBe(200);
  expect((await app.get(`${api}/users`)).body.data.attributes.email).toBe(newer);
});

test('A trade link must be valid and belong to the linked Steam account', async () => {
  const { app } = await viewer();
  const set = (trade_link: string) =>
    app.post(`${api}/users/update_steam_trade_link`, { json: { trade_link } });
  expect((await set('https://example.org')).codes).toEqual(['tradeLinkMalformed']);
  const others = 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=abcdefgh';
  expect((await set(others)).codes).toEqual(['tradeLinkNotYours']);
  const { body } = await app.get(`${api}/users`);
  const own = body.included[0].attributes.trade_link.replace(/token=.*/, 'token=abcdefgh');
  const { status, body: said } = await set(own);
  expect([status, said.meta]).toEqual([200, { hold_days: null, message: 'Steam trade link updated' }]);
  expect(said.included[0].attributes.trade_link).toBe(own);
});

test('A token may lengthen the delay of new rules, and not shorten it; a confirmed session may', async () => {
  const { app, userId } = await viewer();
  const program = await holdToken({ userId });
  const set = (by: typeof app, hours: number) =>
    by.post(`${api}/users/update_send_delay`, { json: { hours } });
  const set24 = await set(program, 24);
  expect(set24.body.data.attributes.settings.send_delay).toEqual({
    hours: 24,
    next_hours: null,
    next_at: null,
  });
  expect(await set(program, 0)).toMatchObject({ status: 403, codes: ['identityUnconfirmed'] });
  expect((await set(program, 2)).status).toBe(422);
  const lowered = await set(app, 0);
  expect(lowered.body.data.attributes.settings.send_delay).toEqual({
    hours: 24,
    next_hours: 0,
    next_at: expect.stringMatching(/^\d{4}-/),
  });
});

test('Steam can be disconnected once, and Twitch only by a user with another way to sign in', async () => {
  const { app } = await viewer();
  expect((await app.post(`${api}/users/logout_steam`)).body.data.relationships.steamAccount.data).toBeNull();
  expect((await app.post(`${api}/users/logout_steam`)).codes).toEqual(['steamNotLinked']);
  expect((await app.post(`${api}/users/logout_twitch`)).codes).toEqual(['passwordMissing']);
  const { app: other } = await verifiedUser();
  expect((await other.post(`${api}/users/logout_twitch`)).codes).toEqual(['twitchNotLinked']);
});

test('Signing up with Twitch is refused where Twitch is not configured', async () => {
  const reply = await new App().post(`${api}/register/twitch`);
  expect(reply).toMatchObject({ status: 503, codes: ['notConfigured'] });
});

test('Twitch is not connected to an account with an unverified address', async () => {
  const { app } = await viewer({ verified: false });
  expect(await app.post(`${api}/register/twitch`)).toMatchObject({ status: 403, codes: ['unverified'] });
});

test('A code from the page signs an app in once, and the app’s token has its owner’s rights', async () => {
  const { app, userId, db } = await viewer();
  const { code } = await extensionCodeOf(db, userId);
  const companion = new App();
  const json = { code: code.toLowerCase(), device: 'Demo phone' };
  const reply = await companion.post(`${api}/extension/token`, { json });
  expect(reply.status).toBe(201);
  const program = new App();
  program.token = reply.body.data.attributes.token;
  expect((await program.get(`${api}/users`)).body).toEqual((await app.get(`${api}/users`)).body);
  const again = await companion.post(`${api}/extension/token`, { json });
  expect(again).toMatchObject({ status: 422, codes: ['extensionCodeUnknown'] });
});

test('A message to the operator is stored, from a guest who has yet to confirm it and from a user', async () => {
  const { app, userId, db } = await viewer();
  const json = { name: 'Demo', email: 'guest@example.org', message: 'Hello,\nthere.' };
  for (const [from, reported] of [
    [new App(), 'Please check your email'],
    [app, 'Message sent!'],
    [await holdToken({ userId }), 'Message sent!'],
  ] as const) {
    const reply = await from.post(`${api}/contact`, { json });
    expect([reply.status, reply.body.meta.message]).toEqual([202, reported]);
  }
  expect((await mailed(json.email)).map(({ template }) => template)).toEqual(['confirmMessage']);
  const saved = await db.read.select().from(contactMessages).where(eq(contactMessages.email, json.email));
  expect(saved.map((each) => each.userId)).toEqual([null, userId, userId]);
  const guest = new App();
  const replies = [];
  for (let sent = 0; sent < 4; sent++) replies.push((await guest.post(`${api}/contact`, { json })).status);
  expect(replies.at(-1)).toBe(429);
});

test('A user signed in with two sessions is the same user', async () => {
  const { app, userId } = await viewer();
  const other = await signIn({ userId });
  expect((await other.get(`${api}/users`)).body).toEqual((await app.get(`${api}/users`)).body);
});

test('A name with invisible characters is refused, as in the form', async () => {
  const hidden = 'Demo\u202Enosrep\u200B';
  expect((await registered({ name: hidden })).reply.status).toBe(422);
  const app = await signIn(await viewer());
  expect((await app.patch(`${api}/users`, { json: { name: hidden } })).status).toBe(422);
});
