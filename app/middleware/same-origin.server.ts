import type { MiddlewareFunction } from 'react-router';
import { config } from '#app/config.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { detectLanguage } from './language.server.ts';

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Callers that are no browsers prove themselves by a signature in the body or a bearer token. */
const signedPrefixes = ['/webhooks/'];
/** The API's own table asks for a token of the session's, or a bearer token, and answers refusals in its own form. */
const guardedPrefixes = ['/api/v1/'];

/** Whether a request that changes something comes from our own pages, as far as a browser tells. */
export function isOwnRequest(request: Request, ownOrigin: string): boolean {
  if (readingMethods.has(request.method)) return true;
  const { pathname } = new URL(request.url);
  if ([...signedPrefixes, ...guardedPrefixes].some((prefix) => pathname.startsWith(prefix))) return true;
  const { headers } = request;
  // A browser never adds a bearer token by itself, so without cookies there is nothing to abuse.
  if (headers.get('Authorization')?.startsWith('Bearer ') && !headers.has('Cookie')) return true;
  const site = headers.get('Sec-Fetch-Site');
  if (site !== null) return site === 'same-origin';
  return headers.get('Origin') === ownOrigin;
}

/** Refuses foreign mutating requests. It returns rather than throws: nothing is set up yet to draw a page. */
export const sameOrigin: MiddlewareFunction<Response> = async ({ request }, next) => {
  if (isOwnRequest(request, config().publicUrl.origin)) return next();
  const language = await detectLanguage(request);
  return new Response(`${translations(language).t('errors.page.foreign')}\n`, {
    status: 403,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Language': language },
  });
};
