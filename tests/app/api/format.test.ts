import './support/web.ts';
import { expect, test } from 'vitest';
import { resourceKinds } from '#app/api/resources.ts';
import { table } from '#app/api/table.server.ts';
import { loader as verifyLoader } from '#app/routes/email/verify.tsx';
import { verifyUrl } from '#bot/mail/letter.ts';
import { mailedTokens, newcomer } from '../support/member.ts';
import { App } from './support/app.ts';
import { contract } from './support/own-contract.ts';
import { holdToken, streamer, viewer } from './support/people.ts';

const api = '/api/v1';

test('The document describes every call of the table, and every call has a unique name', async () => {
  const { body } = await new App().get(`${api}/openapi.json`);
  const described = Object.entries<Record<string, object>>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(table.map(({ method, path }) => `${method} ${path}`).sort());
  expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
  expect(body.openapi).toBe('3.1.0');
});

test('Every reference in the document resolves, and every schema is valid', () => {
  const { document, ajv } = contract();
  expect(() => ajv.getSchema('api#/components/schemas/Errors')).not.toThrow();
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty(name ?? '');
});

test.each([
  ['GET', '/sanctum/csrf-cookie'],
  ['POST', `${api}/register/twitch`],
  ['POST', `${api}/register`],
  ['POST', `${api}/login`],
  ['GET', `${api}/users`],
  ['GET', `${api}/users/accounts`],
  ['POST', `${api}/users/logout_twitch`],
  ['POST', `${api}/users/logout_steam`],
  ['POST', `${api}/users/update_steam_trade_link`],
  ['POST', `${api}/logout`],
  ['POST', `${api}/email/verification-notification`],
  ['POST', `${api}/forgot-password`],
  ['POST', `${api}/reset-password`],
  ['PATCH', `${api}/users`],
])('%s %s exists, as in the specification', (method, path) => {
  expect(table.some((row) => row.method === method && row.path === path)).toBe(true);
});

test('GET on the specification’s verification URL is a page without effect; POST uses the token', async () => {
  const { visitor, email } = await newcomer();
  const [token = ''] = await mailedTokens(email);
  const url = verifyUrl(token, new URL('http://localhost:3000'));
  for (let opened = 0; opened < 2; opened++)
    expect(await visitor.call(verifyLoader, url)).toMatchObject({ status: 200, body: { kind: 'confirm' } });
  const take = () => new App().post(`${api}/email/verifications`, { json: { token } });
  expect([(await take()).status, (await take()).status]).toEqual([200, 410]);
  const { body } = await new App().get(`${api}/openapi.json`);
  expect(body.paths[`${api}/email/verifications`].post.summary).toContain(
    `GET ${new URL(url).pathname}?token=`,
  );
});

test('An unknown path and an unknown method are refused with JSON:API documents', async () => {
  const app = new App();
  expect(await app.get(`${api}/nowhere`)).toMatchObject({ status: 404, codes: ['notFound'] });
  expect(await app.post('/sanctum/csrf-cookie')).toMatchObject({ status: 405, codes: ['methodNotAllowed'] });
  const wrong = await app.send('DELETE', `${api}/users`);
  expect(wrong).toMatchObject({ status: 405, codes: ['methodNotAllowed'] });
  expect(wrong.headers.get('Allow')).toBe('GET, PATCH');
});

test.each(['text/html', 'application/vnd.api+json; ext="x"', 'application/json;q=0'])(
  'A client that accepts only %s gets 406',
  async (accept) => {
    const reply = await new App().get(`${api}/users`, { headers: { Accept: accept } });
    expect(reply).toMatchObject({ status: 406, codes: ['notAcceptable'] });
  },
);

test.each(['application/vnd.api+json', 'application/json', '*/*', 'text/html, application/*;q=0.5'])(
  'A client that accepts %s gets an answer',
  async (accept) => {
    const { app } = await viewer();
    expect((await app.get(`${api}/users`, { headers: { Accept: accept } })).status).toBe(200);
  },
);

test.each([
  ['a form', 'name=x', 'application/x-www-form-urlencoded', 415, 'unsupportedMediaType'],
  ['text', '{}', 'text/plain', 415, 'unsupportedMediaType'],
  ['JSON:API with a parameter', '{}', 'application/vnd.api+json; ext=x', 415, 'unsupportedMediaType'],
  ['broken JSON', '{"name":', 'application/json', 400, 'badJson'],
  ['JSON that is not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'application/json', 400, 'badJson'],
  ['a list', '[]', 'application/json', 422, 'invalid'],
  ['a document without data', '{}', 'application/vnd.api+json', 400, 'badDocument'],
  ['a document of another type', '{"data":{"type":"items"}}', 'application/vnd.api+json', 409, 'wrongType'],
  [
    'a document with a client id',
    '{"data":{"type":"rules","id":"1"}}',
    'application/vnd.api+json',
    403,
    'clientId',
  ],
  [
    'a list in thousands of lists',
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    'application/json',
    422,
    'invalid',
  ],
  ['more than 64 KiB', `"${'x'.repeat(65_536)}"`, 'application/json', 413, 'bodyTooLarge'],
  ['more than 1 MiB', `"${'x'.repeat(1_048_576)}"`, 'application/json', 413, 'bodyTooLarge'],
])('A body that is %s is refused', async (_, raw, type, status, code) => {
  const { app } = await streamer();
  const reply = await app.post(`${api}/rules`, { raw, headers: { 'Content-Type': type } });
  expect(reply).toMatchObject({ status, codes: [code] });
});

test('A document that changes a user must identify that user, as JSON:API requires', async () => {
  const { app, userId } = await viewer();
  const other = await viewer();
  const patch = (data: object) => app.patch(`${api}/users`, { document: { data } });
  const named = { type: 'users', id: userId, attributes: { name: 'Named' } };
  expect((await patch(named)).body.data).toMatchObject({ id: userId, attributes: { name: 'Named' } });
  const refused = await patch({ ...named, id: other.userId });
  expect(refused).toMatchObject({ status: 409, codes: ['wrongId'] });
  expect(refused.body.errors[0].source).toEqual({ pointer: '/data/id' });
  expect(await patch({ ...named, id: null })).toMatchObject({ status: 409, codes: ['wrongId'] });
  expect((await patch({ ...named, id: undefined })).status).toBe(200);
});

test('A value of the wrong type is reported as invalid, and a missing value as required', async () => {
  const attributes = { email: ['a@example.org'], name: 7, password: null, terms: true };
  const { body } = await new App().post(`${api}/register`, {
    document: { data: { type: 'users', attributes } },
  });
  const reported = body.errors.map((error: { code: string; source: { pointer: string } }) => [
    error.source.pointer.split('/').at(-1),
    error.code,
  ]);
  expect(Object.fromEntries(reported)).toMatchObject({
    email: 'invalid',
    name: 'invalid',
    password: 'invalid',
    password_confirmation: 'required',
  });
});

test('Errors in a body point to the field, in the format that was sent', async () => {
  const { app } = await streamer();
  const attributes = { name: '', watch_minutes: 0, owner_id: 'somebody', seed: 'x' };
  const plain = await app.post(`${api}/rules`, { json: attributes });
  expect(plain.status).toBe(422);
  const pointers = plain.body.errors.map((error: { source: { pointer: string } }) => error.source.pointer);
  expect(pointers.sort()).toEqual(['/name', '/owner_id', '/seed', '/watch_minutes']);
  expect(plain.codes).toContain('unknownField');
  const document = { data: { type: 'rules', attributes: { name: 'Demo', state: 'closed' } } };
  const nested = await app.post(`${api}/rules`, { document });
  expect(nested.body.errors[0].source).toEqual({ pointer: '/data/attributes/state' });
});

test.each([
  'page[size]=0',
  'page[size]=101',
  'page[size]=x',
  'page[after]=nonsense',
  'filter[state]=gone',
  'filter[owner]=1',
  'include=owner',
  'fields[rules]=seed',
  'fields[users]=name',
  'sort=name',
  'page[size]=1&page[size]=2',
])('The %s in the query is refused, and named', async (query) => {
  const { app } = await streamer();
  const reply = await app.get(`${api}/rules?${query}`);
  expect(reply.status).toBe(400);
  expect(reply.body.errors[0].source.parameter).toBe(query.split('=')[0]);
});

test('Refusals are worded in the caller’s language, and their codes stay the same', async () => {
  const reply = await new App().get(`${api}/users`, { headers: { 'Accept-Language': 'ru' } });
  expect(reply.codes).toEqual(['unauthorized']);
  expect(reply.body.errors[0].title).toBe('Вход не выполнен');
  const english = await new App().get(`${api}/users`);
  expect(english.body.errors[0].detail).toBe('You must be authorized to see this page.');
});

test('A forged token is refused, even next to a valid cookie', async () => {
  const { app, userId } = await viewer();
  expect((await app.get(`${api}/users`, { headers: { Authorization: 'Bearer nonsense' } })).codes).toEqual([
    'badToken',
  ]);
  expect((await app.get(`${api}/users`, { headers: { Authorization: 'Basic abc' } })).status).toBe(401);
  const program = await holdToken({ userId });
  expect((await program.get(`${api}/users`)).body.data.id).toBe(userId);
});

test('Signing out with a token revokes it', async () => {
  const { userId } = await viewer();
  const program = await holdToken({ userId });
  expect((await program.post(`${api}/logout`)).status).toBe(200);
  expect((await program.get(`${api}/users`)).codes).toEqual(['badToken']);
});

test('OPTIONS lists the methods of a path', async () => {
  const { serve } = await import('./support/app.ts');
  const asked = await serve(
    new Request('http://localhost:3000/api/v1/rules', { method: 'OPTIONS' }),
    '10.8.0.1',
  );
  expect([asked.status, asked.headers.get('Allow')]).toEqual([204, 'GET, POST']);
});

test('The API page lists every call with its arguments and errors', async () => {
  const { loader } = await import('#app/routes/api/docs.tsx');
  const { described, resources, openApiPath } = loader();
  const calls = described.flatMap((area) => area.calls);
  expect(calls.map(({ name }) => name).sort()).toEqual(table.map(({ name }) => name).sort());
  expect(calls.find(({ name }) => name === 'createRule')).toMatchObject({
    path: `${api}/rules`,
    fields: expect.arrayContaining([
      { name: 'name', optional: false },
      { name: 'follow_days', optional: true },
    ]),
    parameters: ['include', 'Idempotency-Key'],
    refusals: expect.arrayContaining(['noCondition', 'ruleLimit']),
  });
  expect(calls.find(({ name }) => name === 'listInventory')?.answers).toEqual(['inventory-items']);
  // Every attribute of every answer is described below.
  for (const type of calls.flatMap(({ answers }) => answers))
    expect(resources.map((each) => each.type)).toContain(type);
  expect(resources.find(({ type }) => type === 'users')).toMatchObject({
    attributes: ['name', 'email', 'verified', 'settings'],
    relationships: ['steamAccount', 'twitchAccount'],
  });
  expect(openApiPath).toBe(`${api}/openapi.json`);
});

test('No attribute and no relationship has a name that JSON:API reserves', () => {
  const named = resourceKinds.flatMap(({ type, attributes, relationships }) =>
    [...Object.keys(attributes.shape), ...Object.keys(relationships)].map((name) => `${type}.${name}`),
  );
  const reserved = ['type', 'id', 'links', 'relationships', 'lid'];
  expect(named.filter((name) => reserved.includes(name.split('.')[1] ?? ''))).toEqual([]);
  const shared = resourceKinds.filter(({ attributes, relationships }) =>
    Object.keys(attributes.shape).some((name) => name in relationships),
  );
  expect(shared).toEqual([]);
});

test('Each resource has one schema, which requires all of its attributes', () => {
  const { schemas } = contract().document.components;
  const names = resourceKinds.map(({ type }) =>
    type.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  expect(Object.keys(schemas).sort()).toEqual([...names, 'JsonApi', 'Errors'].sort());
  for (const name of names) {
    const { required, properties } = schemas[name].properties.attributes;
    expect(required, name).toEqual(Object.keys(properties));
  }
  const { data } =
    contract().document.paths[`${api}/rules/{id}`].get.responses['200'].content['application/vnd.api+json']
      .schema.properties;
  expect(data).toEqual({ $ref: '#/components/schemas/Rules' });
});
