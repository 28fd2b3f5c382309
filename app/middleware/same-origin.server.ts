import type { MiddlewareFunction } from 'react-router';
import { config } from '#app/config.server.ts';
import { oauthError } from '#app/http/oauth-error.server.ts';
import { isForPrograms } from '#app/http/program-paths.ts';
import { translations } from '#app/services/translations.server.ts';
import { detectLanguage } from './language.server.ts';

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Callers other than browsers authenticate by a signature of the body, or by a bearer token. */
const signedPrefixes = ['/webhooks/'];
/** The API checks a CSRF or bearer token itself and answers refusals in its own format. */
const guardedPrefixes = ['/api/v1/', '/sanctum/'];

/** Returns whether a mutating request comes from our own pages, according to the browser's headers. */
export function isOwnRequest(request: Request, ownOrigin: string): boolean {
  if (readingMethods.has(request.method)) return true;
  const { pathname } = new URL(request.url);
  if ([...signedPrefixes, ...guardedPrefixes].some((prefix) => pathname.startsWith(prefix))) return true;
  const { headers } = request;
  // Browsers never add a bearer token by themselves, so a request without cookies cannot be forged.
  if (headers.get('Authorization')?.startsWith('Bearer ') && !headers.has('Cookie')) return true;
  const [site, origin] = [headers.get('Sec-Fetch-Site'), headers.get('Origin')];
  // No page of ours calls these, so a browser that says where it comes from is another site's.
  if (isForPrograms(request))
    return [null, 'same-origin', 'none'].includes(site) && [null, ownOrigin].includes(origin);
  if (site !== null) return site === 'same-origin';
  return origin === ownOrigin;
}

/**
 * The response to a mutating request from another site; null for our own. Rendering is not set up yet at this point.
 */
export async function refuseForeign(request: Request): Promise<Response | null> {
  if (isOwnRequest(request, config().publicUrl.origin)) return null;
  if (isForPrograms(request))
    return oauthError('invalid_request', 'Programs send this, not pages of other sites.');
  const language = await detectLanguage(request);
  return new Response(`${translations(language).t('errors.page.foreign')}\n`, {
    status: 403,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Language': language },
  });
}

/** For servers that do not check earlier, such as the development server. */
export const sameOrigin: MiddlewareFunction<Response> = async ({ request }, next) =>
  (await refuseForeign(request)) ?? next();
