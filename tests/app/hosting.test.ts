import { readFileSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '#app/http/request-body.ts';

/** The directives of an example, without comments: `client_max_body_size 256k;` and `max_size 256KiB` alike. */
const linesOf = (file: string) =>
  readFileSync(`docs/hosting/${file}`, 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').replace(/;$/, '').trim())
    .filter((line) => line !== '');

const units: Record<string, number> = { k: 1024, m: 1024 ** 2, KiB: 1024, MiB: 1024 ** 2, s: 1, '': 1 };

/** The limit of a directive, in bytes or seconds; undefined if the example does not have it. */
function allowed(file: string, directive: string): number | undefined {
  const found = linesOf(file).find((line) => line.startsWith(`${directive} `));
  const [, amount = '', unit = ''] = /(\d+)([A-Za-z]*)$/.exec(found ?? '') ?? [];
  return found === undefined ? undefined : Number(amount) * (units[unit] ?? Number.NaN);
}

test.each([
  ['nginx.conf', 'client_max_body_size'],
  ['Caddyfile', 'max_size'],
])('The example %s lets through what Keepsake takes, and nothing larger', (file, directive) => {
  expect(allowed(file, directive)).toBe(MAX_BODY_BYTES);
});

test('The examples limit headers as Keepsake does', () => {
  expect(allowed('Caddyfile', 'max_header_size')).toBe(maxHeaderSize);
  // One line of nginx's has to fit into one of its buffers.
  const [buffers, size] = /large_client_header_buffers (\d+) (\d+)k/
    .exec(linesOf('nginx.conf').join('\n'))
    ?.slice(1)
    .map(Number) ?? [0, 0];
  expect([size, (buffers ?? 0) * (size ?? 0)]).toEqual([8, 32]);
});

test.each([
  ['nginx.conf', ['client_header_timeout', 'client_body_timeout']],
  ['Caddyfile', ['read_header', 'read_body']],
])('The example %s waits no longer for headers and bodies than Keepsake', (file, directives) => {
  const [header, body] = directives.map((directive) => allowed(file, directive));
  expect(header).toBe(15);
  expect(body).toBeLessThanOrEqual(30);
});
