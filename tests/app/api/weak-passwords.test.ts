import './support/web.ts';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { App } from './support/app.ts';

const api = '/api/v1';
const password = 'a short sentence';
let numbers = 0;

async function registered(more: object = {}) {
  const app = new App();
  const email = `weak-${++numbers}@example.org`;
  const person = { name: 'Demo person', email, password, password_confirmation: password, terms: true };
  const json = { ...person, ...more };
  return { app, json, reply: await app.post(`${api}/register`, { json }) };
}

async function mailed(email: string) {
  const db = await database();
  return db.read.select().from(mails).where(eq(mails.recipient, email));
}

test.each([
  ['password123', 'passwordCommon'],
  ['demo-keepsake', 'passwordPersonal'],
])('Signing up with %s is refused, because it is guessed first', async (weak, code) => {
  const { reply, app } = await registered({ password: weak, password_confirmation: weak });
  expect(reply).toMatchObject({ status: 422, codes: [code] });
  expect(reply.body.errors[0].source).toEqual({ pointer: '/password' });
  expect(app.cookie(sessionCookieName())).toBeUndefined();
});

test('A new password that is guessed first is refused, and nothing else of the call is done', async () => {
  const { app, json } = await registered();
  const [mail] = await mailed(json.email);
  await app.post(`${api}/email/verifications`, { json: { token: mail?.values.token ?? '' } });
  const change = { password: 'password123', password_confirmation: 'password123' };
  const more = { name: 'Another', current_password: password };
  const reply = await app.patch(`${api}/users`, { json: { ...change, ...more } });
  expect(reply).toMatchObject({ status: 422, codes: ['passwordCommon'] });
  expect(reply.body.errors[0].source).toEqual({ pointer: '/password' });
  expect((await app.get(`${api}/users`)).body.data.attributes.name).toBe(json.name);
  const signIn = { json: { email: json.email, password } };
  expect((await new App().post(`${api}/login`, signIn)).status).toBe(200);
});
