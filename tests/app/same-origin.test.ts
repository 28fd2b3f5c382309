import { expect, test } from 'vitest';
import { isOwnRequest } from '#app/middleware/same-origin.server.ts';

const own = 'https://keepsake.example';

function post(headers: Record<string, string>, path = '/rules') {
  return new Request(`${own}${path}`, { method: 'POST', headers });
}

test.each([
  ['says it comes from the same origin', { 'Sec-Fetch-Site': 'same-origin' }, true],
  ['names our origin', { Origin: own }, true],
  ['comes from another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, false],
  [
    'comes from a sibling host',
    { 'Sec-Fetch-Site': 'same-site', Origin: 'https://x.keepsake.example' },
    false,
  ],
  ['was typed or bookmarked', { 'Sec-Fetch-Site': 'none' }, false],
  ['claims our origin while its browser disagrees', { 'Sec-Fetch-Site': 'cross-site', Origin: own }, false],
  ['names another origin', { Origin: 'https://evil.example' }, false],
  ['names our host without https', { Origin: 'http://keepsake.example' }, false],
  ['hides its origin', { Origin: 'null' }, false],
  ['does not state its origin', {}, false],
  ['brings a bearer token and no cookies', { Authorization: 'Bearer abc' }, true],
  ['brings a bearer token and cookies', { Authorization: 'Bearer abc', Cookie: 'a=b' }, false],
])('a mutating request that %s is judged accordingly', (_, headers, expected) => {
  expect(isOwnRequest(post(headers), own)).toBe(expected);
});

test('reads need no check, and signed webhooks authenticate themselves', () => {
  expect(isOwnRequest(new Request(`${own}/rules`), own)).toBe(true);
  expect(isOwnRequest(post({}, '/webhooks/payments'), own)).toBe(true);
  expect(isOwnRequest(post({}, '/webhooksX'), own)).toBe(false);
});
