import type { MiddlewareFunction, RouterContextProvider } from 'react-router';
import { documentIn, pageResponse } from '#app/http/page-response.server.ts';
import { themeOf, timeZoneOf } from '#app/services/preferences.server.ts';
import { isToastWaiting } from '#app/services/toast.server.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import {
  incompleteContext,
  languageContext,
  nonceContext,
  requestIdContext,
  userSummaryContext,
} from './contexts.server.ts';

/** A rendered page, the parts of it that depend on the request, and the end of its use. */
type CachedPage = { html: string; nonce: string; requestId: string; until: number };

/**
 * Time zones come from visitors and are many: five pages in two languages and three themes come to thirty for each.
 */
const cached = boundedCache<string, CachedPage>('pages', 300);

/**
 * Caches pages that are the same for every visitor: each is rendered once per language, theme and time zone, and
 * again when it is older than `maxAgeMs`. Signed-in users, and visitors with a message to show, get a page of their
 * own.
 */
export const cachedPageFor =
  (maxAgeMs: number, now = () => performance.now()): MiddlewareFunction<Response> =>
  async ({ request, context }, next) => {
    const key = await keyOf(request, context);
    // In development a page changes with its sources.
    if (key === null || import.meta.hot) return next();
    const [nonce, requestId] = [context.get(nonceContext), context.get(requestIdContext)];
    const page = cached.get(key);
    if (page && now() < page.until) {
      return pageResponse(page.html.replaceAll(page.nonce, nonce).replaceAll(page.requestId, requestId));
    }
    const response = await next();
    const html = documentIn(response);
    if (html === null || response.status !== 200 || context.get(incompleteContext)) return response;
    cached.set(key, { html, nonce, requestId, until: now() + maxAgeMs });
    return response;
  };

/** For pages that change only with a release. */
export const cachedPage = cachedPageFor(Number.POSITIVE_INFINITY);

/**
 * Returns a key of everything that such a page depends on, or null if it depends on more, such as a query
 * that its forms contain.
 */
async function keyOf(request: Request, context: Readonly<RouterContextProvider>): Promise<string | null> {
  const { pathname, search } = new URL(request.url);
  if (request.method !== 'GET' || search !== '' || pathname.endsWith('.data')) return null;
  if (context.get(userSummaryContext) || isToastWaiting(request)) return null;
  return [pathname, context.get(languageContext), await themeOf(request), timeZoneOf(request)].join(' ');
}
