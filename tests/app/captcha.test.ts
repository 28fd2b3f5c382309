import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readWebConfiguration } from '#app/config.server.ts';
import { contentSecurityPolicy } from '#app/middleware/security-headers.server.ts';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { createAltcha } from '#app/services/captcha/altcha.server.ts';
import { createTurnstile } from '#app/services/captcha/turnstile.server.ts';
import { database } from '#app/services/database.server.ts';
import { attempts } from '#db/schema/access.ts';
import { minute } from '#domain/kernel/time.ts';
import { signUpForm } from './support/member.ts';
import { askCaptcha as ask, type Challenge, encode, solveCaptcha as solve } from './support/solve-captcha.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';
import { webEnvironment } from './support/web-environment.ts';

await setWeb();
beforeEach(async () => (await database()).transaction((tx) => tx.delete(attempts) as never));

const signUp = (more: Record<string, string>, visitor = new Visitor()) => {
  const { without_script: _plain, ...form } = signUpForm();
  return visitor.call(signUpAction, '/auth/signup', { form: { ...form, ...more } });
};
const invalid = { '': ['errors.captcha.invalid'] };

test('Signing up needs a captcha solution, and each solution works for one account', async () => {
  expect((await signUp({})).body.result.error).toEqual(invalid);
  const captcha = await solve(await ask());
  expect((await signUp({ captcha })).location).toBe('/email/unverified');
  const again = await signUp({ captcha });
  expect(again.status).toBe(400);
  expect(again.body.result.error).toEqual(invalid);
  expect(JSON.stringify(again.body)).not.toContain(captcha);
});

test('Submitting the form twice with one solution creates one account', async () => {
  const captcha = await solve(await ask());
  const { without_script: _plain, ...form } = signUpForm();
  const visitor = new Visitor();
  const answers = await Promise.all(
    [1, 2].map(() => visitor.call(signUpAction, '/auth/signup', { form: { ...form, captcha } })),
  );
  expect(answers.map(({ location }) => location)).toEqual(['/email/unverified', '/email/unverified']);
});

test('Invalid captcha solutions are refused', async () => {
  const challenge = await ask();
  const right = await solve(challenge);
  const { solution } = JSON.parse(Buffer.from(right, 'base64').toString());
  const easier = { ...challenge, parameters: { ...challenge.parameters, keyPrefix: '00' } };
  const answers = [
    'nonsense',
    encode({}),
    encode({ challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } }),
    encode({ challenge: easier, solution }),
    encode({ challenge: { ...challenge, signature: '00'.repeat(32) }, solution }),
    await solve(
      (await createAltcha({ secret: 'of another site', now: Date.now }).challenge?.()) as Challenge,
    ),
  ];
  for (const captcha of answers) expect((await signUp({ captcha })).body.result.error).toEqual(invalid);
});

test('A captcha challenge is valid for twenty minutes', async () => {
  let nowMs = Date.now();
  const altcha = createAltcha({ secret: 'a secret of tests', now: () => nowMs });
  const answer = await solve((await altcha.challenge?.()) as Challenge);
  nowMs += 19 * minute;
  expect(await altcha.check(answer)).toMatchObject({ solutionHash: expect.any(String) });
  nowMs += 2 * minute;
  expect(await altcha.check(answer)).toBeNull();
});

test('Without JavaScript, fewer accounts can be created per IP address', async () => {
  const visitor = new Visitor();
  const plain = () => signUp({ without_script: 'on' }, visitor);
  for (let opened = 0; opened < 5; opened++) expect((await plain()).location).toBe('/email/unverified');
  const answer = await plain();
  expect(answer.status).toBe(429);
  expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/);
  expect((await signUp({ captcha: await solve(await ask()) }, visitor)).location).toBe('/email/unverified');
});

/** A siteverify server that accepts one token. */
async function startVerifier(status = 200) {
  const asked: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const fields = new URLSearchParams(body);
    asked.push(fields);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ success: fields.get('response') === 'right' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, url: new URL(`http://127.0.0.1:${port}/siteverify`) };
}

test('Turnstile is called with the secret and one idempotency key per token', async () => {
  const { asked, url } = await startVerifier();
  const turnstile = createTurnstile({ siteKey: 'site', secret: 'secret', verifyUrl: url });
  const first = await turnstile.check('right');
  expect(first).toEqual(
    await turnstile.check('right').then((again) => ({ ...again, expiresAtMs: first?.expiresAtMs })),
  );
  expect(await turnstile.check('wrong')).toBeNull();
  expect(asked[0]?.get('secret')).toBe('secret');
  expect(asked[0]?.get('idempotency_key')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(asked[0]?.get('idempotency_key')).toBe(asked[1]?.get('idempotency_key'));
});

test('While Turnstile does not answer, nobody passes', async () => {
  const { asked, url } = await startVerifier(503);
  const turnstile = createTurnstile({ siteKey: 'site', secret: 'secret', verifyUrl: url });
  expect(await turnstile.check('right')).toBeNull();
  expect(asked).toHaveLength(2);
});

test('Turnstile needs its keys, and extends the content security policy for its own site only', () => {
  const read = (more: Record<string, string>) => readWebConfiguration(webEnvironment(more));
  expect(read({ CAPTCHA_PROVIDER: 'turnstile' })).toMatchObject({
    ok: false,
    faults: [{ variable: 'CAPTCHA_SITE_KEY' }, { variable: 'CAPTCHA_SECRET' }],
  });
  expect(read({ CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SITE_KEY: 'a' })).toMatchObject({
    ok: false,
    faults: [{ variable: 'CAPTCHA_SECRET' }],
  });
  const outcome = read({ CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SITE_KEY: 'a', CAPTCHA_SECRET: 'b' });
  if (!outcome.ok) throw new Error('the configuration was refused');
  const { origins } = createTurnstile({ siteKey: 'a', secret: 'b' });
  const policy = contentSecurityPolicy('n', outcome.values, "'self'", origins);
  expect(policy).toContain("script-src 'self' 'nonce-n' https://challenges.cloudflare.com;");
  expect(policy).toContain("frame-src 'self' https://challenges.cloudflare.com");
  expect(contentSecurityPolicy('n', outcome.values)).not.toContain('cloudflare');
});
