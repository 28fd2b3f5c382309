import { PassThrough } from 'node:stream';
import { createReadableStreamFromReadable } from '@react-router/node';
import { isbot } from 'isbot';
import { renderToPipeableStream } from 'react-dom/server';
import { type EntryContext, isRouteErrorResponse, RouterContextProvider, ServerRouter } from 'react-router';
import { DocumentContext } from './components/surroundings.tsx';
import { TranslationContext } from './components/translation.tsx';
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
import { themeOf } from './services/preferences.server.ts';
import { translations } from './services/translations.server.ts';

/** Data that a page waits for has this long; what is late then is drawn as failed. */
export const streamTimeout = 10_000;

export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entryContext: EntryContext,
  loadContext: Readonly<RouterContextProvider>,
): Promise<Response> {
  const nonce = loadContext.get(nonceContext);
  const facts = { nonce, theme: await themeOf(request), requestId: loadContext.get(requestIdContext) };
  // Crawlers read the whole document at once; people get it as soon as its frame is ready.
  const patient = isbot(request.headers.get('User-Agent') ?? '') || entryContext.isSpaMode;
  return new Promise((resolve, reject) => {
    let answered = false;
    let code = status;
    const { pipe, abort } = renderToPipeableStream(
      <TranslationContext value={translations(loadContext.get(languageContext))}>
        <DocumentContext value={facts}>
          <ServerRouter context={entryContext} url={request.url} nonce={nonce} />
        </DocumentContext>
      </TranslationContext>,
      {
        nonce,
        [patient ? 'onAllReady' : 'onShellReady']() {
          answered = true;
          const body = new PassThrough();
          headers.set('Content-Type', 'text/html; charset=utf-8');
          resolve(new Response(createReadableStreamFromReadable(body), { headers, status: code }));
          pipe(body);
        },
        onShellError: reject,
        onError(error: unknown) {
          code = 500;
          // Before the answer, the promise's rejection tells of it.
          if (answered) loadContext.get(logContext).error({ err: error }, 'a part of a page failed');
        },
      },
    );
    const late = setTimeout(() => abort(new Error('The page took too long')), streamTimeout + 1000);
    late.unref();
    request.signal.addEventListener('abort', () => abort(new Error('The visitor left')), { once: true });
  });
}

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
export { refuseBody, refuseForeign };
