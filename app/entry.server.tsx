import { renderToString } from 'react-dom/server';
import { type EntryContext, isRouteErrorResponse, RouterContextProvider, ServerRouter } from 'react-router';
import { DocumentContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { askAgain } from '#app/http/ask-again.server.ts';
import { refuseBody } from '#app/http/body-refusal.server.ts';
import { closeEventStreams } from '#app/http/event-stream.server.ts';
import { loggedPath } from '#app/http/logged-path.ts';
import { processLog } from '#app/http/logger.server.ts';
import { documentIn, pageResponse } from '#app/http/page-response.server.ts';
import { headOf } from '#app/http/public-head.server.tsx';
import { stopSharing } from '#app/http/user-stream.server.ts';
import { announceWeb } from '#app/services/announce.server.ts';
import { isMember } from '#app/services/sign-in/session.server.ts';
import { harmlessMarkup } from '#platform/harmless.ts';
import {
  clientAddressContext,
  languageContext,
  nonceContext,
  requestIdContext,
} from './middleware/contexts.server.ts';
import { refuseForeign } from './middleware/same-origin.server.ts';
import { themeOf } from './services/preferences.server.ts';
import { translations } from './services/translations.server.ts';

/**
 * Renders a page as one string. Nothing on our pages suspends, because loaders have finished before rendering, so a
 * stream would only cost. If rendering throws, the router renders its error boundary.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entryContext: EntryContext,
  loadContext: Readonly<RouterContextProvider>,
): Promise<Response> {
  const nonce = loadContext.get(nonceContext);
  const language = loadContext.get(languageContext);
  const facts = {
    nonce,
    theme: await themeOf(request),
    requestId: loadContext.get(requestIdContext),
    head: headOf(entryContext.staticHandlerContext, language),
  };
  const handoff = entryContext.serverHandoffStream;
  const page = renderToString(
    <TranslationContext value={translations(language)}>
      <DocumentContext value={facts}>
        <ServerRouter context={withoutOtherRoutes(entryContext)} url={request.url} nonce={nonce} />
      </DocumentContext>
    </TranslationContext>,
  );
  const isRead = handoff && entryContext.renderMeta?.didRenderScripts;
  const document = isRead ? withData(page, await textIn(handoff), nonce) : page;
  // React adds the doctype only to streams; without it browsers use quirks mode.
  return pageResponse(harmlessMarkup(`<!DOCTYPE html>${document}`), { headers, status });
}

/**
 * Reduces the context to what this page needs, because the router would otherwise build its tree of all
 * routes for each page. The data is added afterwards, because the router's own way of adding it suspends.
 */
function withoutOtherRoutes({ manifest, ...context }: EntryContext): EntryContext {
  const routes: typeof manifest.routes = {};
  for (const { route } of context.staticHandlerContext.matches) routes[route.id] = manifest.routes[route.id];
  const own = { manifest: { ...manifest, routes }, branches: [], serverHandoffStream: undefined };
  return { ...context, ...own };
}

/** Passes the loaders' data to the browser's router, as `ServerRouter` would. */
function withData(html: string, data: string, nonce: string): string {
  const controller = 'window.__reactRouterContext.streamController';
  const script = `<script nonce="${nonce}">${controller}.enqueue(${scriptText(data)});${controller}.close();</script>`;
  const end = html.lastIndexOf('</body></html>');
  return `${html.slice(0, end)}${script}${html.slice(end)}`;
}

/** Reads a stream as text. Iterating over it would take twice as long. */
async function textIn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += decoder.decode(part.value, { stream: true });
  return text + decoder.decode();
}

/** Escapes a text for use within a script. */
const scriptText = (text: string): string =>
  JSON.stringify(text).replace(
    /[&<>\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Handles unexpected errors of loaders and actions: the log gets the details, the user a page. */
export function handleError(error: unknown, { request }: { request: Request }): void {
  if (request.signal.aborted) return;
  // A refusal such as 404 or 405 is an answer, not an error of ours.
  if (isRouteErrorResponse(error) && error.status < 500) return;
  processLog.error({ err: error, path: loggedPath(new URL(request.url).pathname) }, 'a request failed');
}

/** Used by the server outside this bundle to create each request's context. */
export function createLoadContext(client: { address: string }): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(clientAddressContext, client.address);
  return context;
}

/** Called by the server outside this bundle for each answer with a status of 500 or above. */
export async function countFailure(status: number): Promise<void> {
  if (!config().metricsToken) return;
  const { serverErrors } = await import('#app/http/metrics.server.ts');
  serverErrors.inc({ status });
}

/** Called by the server outside this bundle when it stops: open streams would delay it forever. */
export function stopServing(): Promise<void> {
  closeEventStreams();
  return stopSharing();
}

/**
 * Used outside this bundle: before the process serves, before the router, and before a response is sent. The server there
 * knows no languages.
 */
export { announceWeb, askAgain, documentIn, isMember, refuseBody, refuseForeign };
