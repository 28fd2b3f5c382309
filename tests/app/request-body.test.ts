import { describe, expect, test } from 'vitest';
import { boundBody, mostBodyBytes } from '#app/services/request-body.ts';

const form = 'application/x-www-form-urlencoded';

function post(body: BodyInit | null, contentType: string | null = form) {
  const headers: Record<string, string> = contentType === null ? {} : { 'Content-Type': contentType };
  return new Request('http://localhost:3000/', {
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
  test('passes up to 1 MiB, and is answered 413 above', async () => {
    expect(mostBodyBytes).toBe(1_048_576);
    expect(await status(post(bytes(mostBodyBytes), 'text/plain'))).toBe('passed');
    expect(await status(post(bytes(mostBodyBytes + 1), 'text/plain'))).toBe(413);
  });

  test('is counted while it arrives, and no more of it is read than needed', async () => {
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
    expect(sent).toBeLessThan(mostBodyBytes + 4 * 65_536);
  });

  test('arrives as it was sent', async () => {
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
  ])('that is a form with %s is answered 400', async (_, body, type) => {
    expect(await status(post(body, type))).toBe(400);
  });

  test('may be nothing at all, which is an empty form', async () => {
    const outcome = await boundBody(post(null, null));
    expect([...(await (outcome as Request).formData())]).toEqual([]);
  });
});
