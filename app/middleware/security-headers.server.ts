import { randomBytes } from 'node:crypto';
import type { MiddlewareFunction, RouterContextProvider } from 'react-router';
import { config, type WebConfiguration } from '#app/config.server.ts';
import { fixedHeaders, ownResource } from '#app/http/fixed-headers.ts';
import { captcha } from '#app/services/captcha/captcha.server.ts';
import { nonceContext, userSummaryContext } from './contexts.server.ts';

// The hosts of pictures of viewers and streamers, and of bots, whose pictures are on one of several hosts
// that Steam names.
const avatars = 'https://static-cdn.jtvnw.net https://*.steamstatic.com';
// In development Vite inlines styles.
const styleSources = import.meta.env.DEV ? "'self' 'unsafe-inline'" : "'self'";
// Browsers check form-action for every redirect that follows a form.
const payment = 'https://checkout.stripe.com https://billing.stripe.com https://invoice.stripe.com';

type Addresses = Pick<WebConfiguration, 'secure'> & {
  billing?: Pick<NonNullable<WebConfiguration['billing']>, 'apiUrl'> | null;
  steam: Pick<WebConfiguration['steam'], 'imageUrl' | 'appliedImageUrl' | 'openidUrl'>;
  twitch: Pick<WebConfiguration['twitch'], 'authUrl'>;
};

/**
 * The content security policy: each kind of content that pages have, from this origin, except the listed pictures and
 * sign-ins; no other kind. A captcha of another site allows that site only.
 */
export function contentSecurityPolicy(
  nonce: string,
  addresses: Addresses,
  styles = "'self'",
  captchaOrigins: readonly string[] = [],
): string {
  const { twitch, steam, secure, billing } = addresses;
  const pages = billing ? ` ${payment}` : '';
  // Another address than Stripe's own serves its pages as well.
  const otherPages =
    billing && billing.apiUrl.origin !== 'https://api.stripe.com' ? ` ${billing.apiUrl.origin}` : '';
  // Another address than Twitch's own shows pictures of its people as well.
  const otherFaces = twitch.authUrl.origin === 'https://id.twitch.tv' ? '' : ` ${twitch.authUrl.origin}`;
  const captchas = captchaOrigins.map((origin) => ` ${origin}`).join('');
  const items = [
    ...new Set([steam.imageUrl, steam.appliedImageUrl ?? steam.imageUrl].map(({ origin }) => origin)),
  ].join(' ');
  const directives = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${captchas}`,
    `style-src ${styles}`,
    `img-src 'self' data: ${items} ${avatars}${otherFaces}`,
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    `form-action 'self' ${twitch.authUrl.origin} ${steam.openidUrl.origin}${pages}${otherPages}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    // The preview of an overlay; all other pages of ours refuse to be shown in a frame.
    `frame-src 'self'${captchas}`,
  ];
  if (secure) directives.push('upgrade-insecure-requests');
  return directives.join('; ');
}

/**
 * Pages of signed-in people are never cached: after signing out, the back button would show them to the next person at
 * the browser. Pages for visitors may be reused after revalidation.
 */
const cacheControlFor = (context: Readonly<RouterContextProvider>): string =>
  context.get(userSummaryContext) ? 'no-store' : 'private, no-cache';

export const securityHeaders: MiddlewareFunction<Response> = async ({ context }, next) => {
  const nonce = randomBytes(16).toString('base64');
  context.set(nonceContext, nonce);
  const response = await next();
  const { headers } = response;
  // Overlays are documents of their own, with a policy and a referrer of their own.
  const own = new Set(['Content-Security-Policy', 'Referrer-Policy'].filter((name) => headers.has(name)));
  const policy = contentSecurityPolicy(nonce, config(), styleSources, captcha().origins);
  const ofPages: [string, string][] = [['Content-Security-Policy', policy], ...fixedHeaders(config().hsts)];
  for (const [name, value] of ofPages) if (!own.has(name)) headers.set(name, value);
  // Pictures of links are shown on other sites.
  if (!headers.has(ownResource[0])) headers.set(...ownResource);
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', cacheControlFor(context));
  return response;
};
