import { RouterContextProvider } from 'react-router';
import { expect, test } from 'vitest';
import { nonceContext } from '#app/middleware/contexts.server.ts';
import { contentSecurityPolicy, securityHeaders } from '#app/middleware/security-headers.server.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment({ PUBLIC_URL: 'https://keepsake.example' });

const addresses = {
  secure: true,
  twitch: { authUrl: new URL('http://localhost:3011/auth') },
  steam: {
    openidUrl: new URL('http://localhost:3013/openid/login'),
    imageUrl: new URL('http://localhost:3013/images/'),
    appliedImageUrl: new URL('http://localhost:3014/applied/'),
  },
};

test('the policy allows our own origin and the configured URLs', () => {
  const directives = contentSecurityPolicy('abc', addresses).split('; ');
  expect(directives).toEqual([
    "default-src 'none'",
    "script-src 'self' 'nonce-abc'",
    "style-src 'self'",
    "img-src 'self' data: http://localhost:3013 http://localhost:3014 https://static-cdn.jtvnw.net https://*.steamstatic.com http://localhost:3011",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'self' http://localhost:3011 http://localhost:3013",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "frame-src 'self'",
    'upgrade-insecure-requests',
  ]);
});

test('pictures of people come from Twitch’s own host, and from another Twitch only if one is set', () => {
  const picturesAt = (authUrl: string) =>
    contentSecurityPolicy('abc', { ...addresses, twitch: { authUrl: new URL(authUrl) } })
      .split('; ')
      .find((directive) => directive.startsWith('img-src'));
  const own =
    "img-src 'self' data: http://localhost:3013 http://localhost:3014 https://static-cdn.jtvnw.net https://*.steamstatic.com";
  expect(picturesAt('https://id.twitch.tv/oauth2')).toBe(own);
  expect(picturesAt('http://localhost:3021/auth')).toBe(`${own} http://localhost:3021`);
});

test('forms lead to Stripe only where billing is on', () => {
  const formsAt = (apiUrl: string) =>
    contentSecurityPolicy('abc', { ...addresses, billing: { apiUrl: new URL(apiUrl) } })
      .split('; ')
      .find((directive) => directive.startsWith('form-action'));
  const own = "form-action 'self' http://localhost:3011 http://localhost:3013";
  const stripe = 'https://checkout.stripe.com https://billing.stripe.com https://invoice.stripe.com';
  expect(contentSecurityPolicy('abc', addresses)).not.toContain('stripe');
  expect(formsAt('https://api.stripe.com')).toBe(`${own} ${stripe}`);
  expect(formsAt('http://localhost:3016')).toBe(`${own} ${stripe} http://localhost:3016`);
});

async function answer(headers: Record<string, string> = {}) {
  const context = new RouterContextProvider();
  const request = new Request('https://keepsake.example/');
  const args = { request, context, params: {}, url: new URL(request.url), pattern: '/' };
  const response = await securityHeaders(args, async () => new Response('', { headers }));
  return { response: response as Response, nonce: context.get(nonceContext) };
}

test('every answer has its own nonce, and the page uses it', async () => {
  const first = await answer();
  const second = await answer();
  expect(first.response.headers.get('Content-Security-Policy')).toContain(`'nonce-${first.nonce}'`);
  expect(first.nonce).toHaveLength(24);
  expect(second.nonce).not.toBe(first.nonce);
});

test('answers carry security headers', async () => {
  const { headers } = (await answer()).response;
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
  expect(headers.get('Strict-Transport-Security')).toContain('max-age=31536000');
  expect(headers.get('Cache-Control')).toBe('private, no-cache');
});

test('a route’s own caching header is kept', async () => {
  const { response } = await answer({ 'Cache-Control': 'no-store' });
  expect(response.headers.get('Cache-Control')).toBe('no-store');
});
