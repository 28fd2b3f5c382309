import { renderToString } from 'react-dom/server';
import { type EntryContext, isRouteErrorResponse, RouterContextProvider, ServerRouter } from 'react-router';
import { DocumentContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import {
  clientAddressContext,
  languageContext,
  logContext,
  nonceContext,
  requestIdContext,
} from './middleware/contexts.server.ts';
import { refuseForeign } from './middleware/same-origin.server.ts';
import { refuseBody } from './services/body-refusal.server.ts';
import { closeEventStreams } from './services/event-stream.server.ts';
import { documentIn, pageResponse } from './services/page-response.server.ts';
import { themeOf } from './services/preferences.server.ts';
import { translations } from './services/translations.server.ts';

/**
 * Draws a page as one text. Nothing on our pages suspends: loaders have answered before anything is drawn, so that a
 * stream would only cost. What throws while it is drawn is drawn anew by the router, as its error boundary.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entryContext: EntryContext,
  loadContext: Readonly<RouterContextProvider>,
): Promise<Response> {
  const nonce = loadContext.get(nonceContext);
  const facts = { nonce, theme: await themeOf(request), requestId: loadContext.get(requestIdContext) };
  const handoff = entryContext.serverHandoffStream;
  const page = renderToString(
    <TranslationContext value={translations(loadContext.get(languageContext))}>
      <DocumentContext value={facts}>
        <ServerRouter context={withoutOtherRoutes(entryContext)} url={request.url} nonce={nonce} />
      </DocumentContext>
    </TranslationContext>,
  );
  // React writes it for streams alone; without it browsers draw a page by the rules of the last century.
  const html = Buffer.from(`<!DOCTYPE html>${page}`);
  const isRead = handoff && entryContext.renderMeta?.didRenderScripts;
  const document = isRead ? withData(html, await new Response(handoff).text(), nonce) : html;
  return pageResponse(document, { headers, status });
}

/**
 * What the router needs to draw this page and no other: it would build its tree of all routes for each. The data is
 * added afterwards, because the router's own way of adding it suspends.
 */
function withoutOtherRoutes({ manifest, ...context }: EntryContext): EntryContext {
  const routes: typeof manifest.routes = {};
  for (const { route } of context.staticHandlerContext.matches) routes[route.id] = manifest.routes[route.id];
  const own = { manifest: { ...manifest, routes }, branches: [], serverHandoffStream: undefined };
  return { ...context, ...own };
}

/** Hands the loaders' data over to the browser's router, as `ServerRouter` would. */
function withData(html: Buffer, data: string, nonce: string): Buffer<ArrayBuffer> {
  const controller = 'window.__reactRouterContext.streamController';
  const script = `<script nonce="${nonce}">${controller}.enqueue(${scriptText(data)});${controller}.close();</script>`;
  // In bytes: to cut a text that React has just put together would copy it once more.
  const end = html.lastIndexOf('</body></html>');
  return Buffer.concat([html.subarray(0, end), Buffer.from(script), html.subarray(end)]);
}

/** A text as a script may hold it, whatever it says. */
const scriptText = (text: string): string =>
  JSON.stringify(text).replace(
    /[&<>\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Loaders and actions that threw something unforeseen end here: the log gets all of it, the person a page. */
export function handleError(
  error: unknown,
  { request, context }: { request: Request; context: Readonly<RouterContextProvider> },
): void {
  if (request.signal.aborted) return;
  // A refusal such as 404 or 405 is an answer, not a fault of ours.
  if (isRouteErrorResponse(error) && error.status < 500) return;
  context.get(logContext).error({ err: error, path: new URL(request.url).pathname }, 'a request failed');
}

/** The server outside of this bundle makes each request's context through this. */
export function createLoadContext(client: { address: string }): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(clientAddressContext, client.address);
  return context;
}

/** What the server outside of this bundle calls when it stops: open streams would hold it up for ever. */
export function stopServing(): void {
  closeEventStreams();
}

/** The server outside of this bundle asks these before the router sees a request, and knows no languages itself. */
/** And this before it sends an answer. */
export { documentIn, refuseBody, refuseForeign };
