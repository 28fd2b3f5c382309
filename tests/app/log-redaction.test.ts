import { expect, test } from 'vitest';
import { createLog as createWebLog } from '#app/http/logger.server.ts';
import { createLog as createBotLog } from '#bot/log.ts';
import { newSecretToken } from '#domain/identity/access/secret-token.ts';
import { redactLine } from '#platform/redaction.ts';

const sessionToken = newSecretToken();
const apiToken = `keepsake_${newSecretToken()}`;
const twitchToken = 'k3x9d8f7g6h5j4k3l2z1x0c9v8b7n6';
const steamToken = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiI3NjU2In0.c2lnbmF0dXJl';
const mail = 'mira.demo+keepsake@mail.example.org';
const russianMail = 'мира.демо@почта.рф';
const argon = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g';

class LoudError extends Error {
  readonly config = { headers: { Authorization: `OAuth ${twitchToken}` }, refresh_token: steamToken };
}

/** Careless log lines, and the secrets in them that must not appear. */
const careless: [string, Record<string, unknown>, string][] = [
  [
    'a session’s cookie in headers',
    { request: { headers: { cookie: `keepsake_session=${sessionToken}` } } },
    '',
  ],
  [
    'cookies to set',
    { response: { headers: { 'set-cookie': [`keepsake_session=${sessionToken}; Path=/`] } } },
    '',
  ],
  ['a bearer token', { request: { headers: { Authorization: `Bearer ${apiToken}` } } }, ''],
  [
    'tokens deep inside',
    { a: { b: { c: { accessToken: twitchToken, refreshToken: 'short refresh' } } } },
    '',
  ],
  ['a trade token', { steam: { tradeToken: 'AbCd-123' } }, ''],
  ['a trade link', {}, 'asked https://steamcommunity.com/tradeoffer/new/?partner=77&token=AbCd-123'],
  ['a link in a mail', { url: `https://keepsake.example/email/verify?token=${sessionToken}` }, ''],
  ['a form', { body: 'email=mira%40mail.example.org&password=hunter2-hunter2&next=x' }, ''],
  ['JSON as text', { body: JSON.stringify({ password: 'hunter2-hunter2 and more', name: 'Mira' }) }, ''],
  ['a list of secrets', { bots: [{ sharedSecret: 'c2hhcmVk', identitySecret: 'aWRlbnQ=' }] }, ''],
  ['a record of tokens', { tokens: { access: 'short refresh' } }, ''],
  ['an address by itself', { to: mail }, ''],
  ['an address in a message', {}, `could not write to <${mail}>, will try again`],
  ['an address as our database has it', {}, `Failed query: select … params: ${russianMail},demo`],
  ['an address that is a recipient', { recipient: mail, user: { email: mail } }, ''],
  ['a mail server’s password', { smtp: `smtps://mailer:hunter2-hunter2@mail.example:465` }, ''],
  ['a hash', { row: { passwordHash: argon }, other: argon }, ''],
  ['tokens in the middle of words', {}, `validate ${twitchToken} and ${steamToken}; then ${sessionToken}`],
  [
    'an error with its own fields',
    { err: new LoudError(`401 for access_token=${twitchToken} of ${mail}`) },
    '',
  ],
];
const forbidden = [
  sessionToken,
  apiToken,
  twitchToken,
  steamToken,
  'short refresh',
  'AbCd-123',
  'hunter2',
  'and more',
  'c2hhcmVk',
  'aWRlbnQ',
  'aGFzaGhhc2g',
  'mira.demo',
  'mail.example.org',
  'мира.демо',
  'почта.рф',
];

test.each([
  ['web', createWebLog],
  ['bot', createBotLog],
])('The log of the %s process contains no token, secret, cookie or mail address', (_, createLog) => {
  for (const [what, fields, message] of careless) {
    const lines: string[] = [];
    const log = createLog('trace', { write: (line: string) => void lines.push(line) });
    for (const level of ['trace', 'info', 'error'] as const) log[level](fields, message || what);
    log.child(fields).info(message || what);
    expect(lines, what).toHaveLength(4);
    const written = lines.join('');
    for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
    expect(written, what).toContain('[redacted]');
    for (const word of forbidden) expect(written, `${what}: ${word}`).not.toContain(word);
  }
});

test('Values that are not secret stay readable', () => {
  const line = JSON.stringify({
    level: 30,
    requestId: '0197c8a2-1111-7222-8333-444455556666',
    method: 'GET',
    path: '/settings/tokens',
    status: 200,
    tokenLifetimeSeconds: 14_400,
    emailVerified: true,
    offerId: '7000000001',
    steamId: '76561197960265728',
    stack:
      'Error: no\n    at run (/srv/keepsake/app/services/a-file-with-quite-a-long-name-indeed.server.ts:12:3)',
  });
  expect(redactLine(line)).toBe(line);
});
