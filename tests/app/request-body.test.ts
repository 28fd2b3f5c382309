import { describe, expect, test } from 'vitest';
import { refuseBody } from '#app/services/body-refusal.server.ts';
import { limitBody as bound, MAX_BODY_BYTES } from '#app/services/request-body.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment();

const boundBody = (request: Request) => bound(request, refuseBody);

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

function bytes(size: number) {
  return new Uint8Array(size).fill(97);
}

async function status(request: Request) {
  const outcome = await boundBody(request);
  return outcome instanceof Response ? outcome.status : 'passed';
}

describe('the body of a request', () => {
  test('is accepted up to 1 MiB, and answered with 413 above', async () => {
    expect(MAX_BODY_BYTES).toBe(1_048_576);
    expect(await status(post(`n=${'a'.repeat(MAX_BODY_BYTES - 2)}`))).toBe('passed');
    expect(await status(post(bytes(MAX_BODY_BYTES + 1), 'text/plain'))).toBe(413);
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
    expect(sent).toBeLessThan(MAX_BODY_BYTES + 4 * 65_536);
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
    ['more fields than any of our forms', 'n=x&'.repeat(2501)],
  ])('that contains %s is answered with 400', async (_, body) => {
    expect(await status(post(body))).toBe(400);
  });

  test('may contain a thousand kinds with their quantities', async () => {
    const kinds = [...Array(1000)].map((_, n) => `730-${String(n).padStart(12, '0')}`);
    expect(await status(post(kinds.map((key) => `item=${key}&item:${key}=1`).join('&')))).toBe('passed');
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
