import { afterEach, describe, expect, test, vi } from 'vitest';
import { refuseBody } from '#app/http/body-refusal.server.ts';
import { limitBody } from '#app/http/request-body.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment();
afterEach(() => vi.restoreAllMocks());

const asVisitor = { refuse: refuseBody, isMember: async () => false };
const asMember = { refuse: refuseBody, isMember: async () => true };
const boundBody = (request: Request, sender = asVisitor) => limitBody(request, sender);
const kib = 1024;

const form = 'application/x-www-form-urlencoded';

function post(body: BodyInit | null, contentType: string | null = form, path = '/', language = 'en') {
  const headers: Record<string, string> = contentType === null ? {} : { 'Content-Type': contentType };
  headers['Accept-Language'] = language;
  return new Request(`http://localhost:3000${path}`, {
    method: 'POST',
    body,
    headers,
    duplex: 'half',
  } as RequestInit);
}

/** Encoded beforehand: `fetch` of Node 24 goes on encoding after the reader has cancelled, and its promise rejects. */
async function postParts(form: FormData) {
  const encoded = new Response(form);
  return post(await encoded.arrayBuffer(), encoded.headers.get('Content-Type'));
}

function bytes(size: number) {
  return new Uint8Array(size).fill(97);
}

async function status(request: Request, sender = asVisitor) {
  const outcome = await boundBody(request, sender);
  return outcome instanceof Response ? outcome.status : 'passed';
}

describe('the body of a request', () => {
  test.each([
    ['a visitor', asVisitor, 64],
    ['a member', asMember, 256],
  ])('of %s is accepted up to a limit, and answered with 413 above', async (_, sender, limit) => {
    expect(await status(post(`n=${'a'.repeat(limit * kib - 2)}`), sender)).toBe('passed');
    expect(await status(post(`n=${'a'.repeat(limit * kib - 1)}`), sender)).toBe(413);
    expect(await status(post(bytes(limit * kib + 1), 'text/plain'), sender)).toBe(413);
  });

  test.each([
    ['a visitor', asVisitor, 50],
    ['a member', asMember, 4100],
  ])('of %s may have a limited number of fields', async (_, sender, limit) => {
    const fields = (count: number) => Array.from({ length: count }, (_none, place) => `n${place}=x`);
    expect(await status(post(fields(limit).join('&')), sender)).toBe('passed');
    expect(await status(post(fields(limit + 1).join('&')), sender)).toBe(413);
    const form = new FormData();
    for (let place = 0; place < Math.min(limit, 1000); place++) form.append(`n${place}`, 'x');
    expect(await status(await postParts(form), sender)).toBe('passed');
    for (let place = 0; place < 5000; place++) form.append('n', 'x');
    expect(await status(await postParts(form), sender)).toBe(413);
  });

  test('of a program is refused in the form that programs read', async () => {
    const large = 'The body is too large.';
    for (const [body, error_description] of [
      ['client_id=%FF', 'The body is not a form with these parameters.'],
      ['a=&'.repeat(5000), large],
      ['a'.repeat(300 * kib), large],
    ] as const) {
      const answer = await boundBody(post(body, form, '/oauth/token'));
      if (!(answer instanceof Response)) throw new Error('it passed');
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({ error: 'invalid_request', error_description });
    }
  });

  test('with too many fields is refused before it is parsed, and no account is looked for', async () => {
    const parsed = vi.spyOn(Response.prototype, 'formData');
    const asked = vi.fn(async () => true);
    const sender = { refuse: refuseBody, isMember: asked };
    expect(await status(post('a=&'.repeat((1024 * kib) / 3)), sender)).toBe(413);
    expect(asked).not.toHaveBeenCalled();
    expect(await status(post('a=&'.repeat((60 * kib) / 3)), sender)).toBe(413);
    expect(asked).not.toHaveBeenCalled();
    expect(await status(post('a=&'.repeat((250 * kib) / 3)), sender)).toBe(413);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(parsed).not.toHaveBeenCalled();
  });

  test('of a message as long as it may be fits, also in the longest encoding', async () => {
    const form = new URLSearchParams({
      name: '礼'.repeat(50),
      email: 'demo@example.org',
      message: '礼'.repeat(4000),
    });
    expect(await status(post(form.toString()))).toBe('passed');
  });

  test.each([
    ['/webhooks/stripe', 256],
    ['/api/v1/rules', 64],
  ])('to %s has a limit of its own', async (path, limit) => {
    const sent = (size: number) => boundBody(post(bytes(size), 'application/json', path), asMember);
    expect(((await sent(limit * kib)) as Request).headers.get('Content-Length')).toBe(String(limit * kib));
    const more = await sent(limit * kib + 1);
    // The API says so itself, in its own format.
    if (path.startsWith('/api')) expect((more as Request).body).toBeNull();
    else expect((more as Response).status).toBe(413);
  });

  test('is counted while it arrives, and not read further than needed', async () => {
    let sent = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(bytes(65_536));
      },
      cancel() {
        cancelled = true;
      },
    });
    expect(await status(post(endless))).toBe(413);
    expect(cancelled).toBe(true);
    expect(sent).toBeLessThan(64 * kib + 4 * 65_536);
  });

  test('arrives unchanged', async () => {
    const outcome = await boundBody(post('name=%D1%91%26&b=1+2'));
    const sent = await (outcome as Request).formData();
    expect([...sent]).toEqual([
      ['name', 'ё&'],
      ['b', '1 2'],
    ]);
  });

  test.each([
    ['bytes that are not UTF-8', new Uint8Array([110, 61, 0xff]), form],
    ['escapes that are not UTF-8', 'name=%FF', form],
    ['a broken escape', 'name=%E', form],
    ['a multipart form without its boundary', 'x', 'multipart/form-data'],
  ])('that is a form with %s is answered with 400', async (_, body, type) => {
    expect(await status(post(body, type))).toBe(400);
  });

  test.each([
    ['a list with a billion entries', 'name[999999999]=x'],
    ['a nested object', 'name.first.second=x'],
    ['an intent that changes the form', '__intent__=%7B%22type%22%3A%22reset%22%7D'],
    ['an invalid form state', '__state__=%7B%7B'],
    ['a prototype', '__proto__.x=1'],
    ['a name that is too long', `${'n'.repeat(101)}=x`],
    ['no name', '=x'],
  ])('that contains %s is answered with 400', async (_, body) => {
    expect(await status(post(body))).toBe(400);
  });

  test('of a member may contain a thousand kinds, all narrowed away, with quantities and weights', async () => {
    const form = new URLSearchParams();
    for (let number = 0; number < 1000; number++) {
      const key = `753-${String(number).padStart(12, '0')}`;
      for (const name of ['item', 'unseen']) form.append(name, key);
      form.append(`item:${key}`, '999999');
      form.append(`weight:${key}`, '999999999');
    }
    expect(await status(post(form.toString()), asMember)).toBe('passed');
    expect(await status(post(form.toString()))).toBe(413);
  });

  test.each(['application/json', 'text/plain', 'application/octet-stream', ';;;', null])(
    'that is %s instead of a form is answered with 415, except on routes that expect it',
    async (type) => {
      expect(await status(post(bytes(2), type))).toBe(415);
      expect(await status(post(bytes(2), type, '/webhooks/stripe'))).toBe('passed');
      expect(await status(post(bytes(2), type, '/api/v1/rules'))).toBe('passed');
    },
  );

  test('is refused in the sender’s language', async () => {
    const refused = async (language: string) => {
      const answer = (await boundBody(post('n=%FF', form, '/', language))) as Response;
      return [answer.headers.get('Content-Language'), await answer.text()];
    };
    expect(await refused('en')).toEqual(['en', expect.stringContaining('Go back and send it again')]);
    expect(await refused('ru')).toEqual(['ru', expect.stringContaining('отправьте его снова')]);
  });

  test('may be empty, which means an empty form', async () => {
    const outcome = await boundBody(post(null, null));
    expect([...(await (outcome as Request).formData())]).toEqual([]);
  });
});
