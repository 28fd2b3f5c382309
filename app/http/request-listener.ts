import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequest, type RequestOptions, sendResponse } from '@remix-run/node-fetch-server';
import { withPrivateCookies } from '#app/http/private-cookies.ts';
import { sendDocument, takesBrotli } from '#app/http/send-document.ts';

type Options = RequestOptions & {
  /** Answers a request from a client with this address. */
  answer: (request: Request, address: string) => Promise<Response>;
  /** The whole page of a response; null if the response is not a page. */
  documentIn: (response: Response) => string | null;
  /** Prepares a response for compression as a stream. */
  compress: (request: IncomingMessage, response: ServerResponse) => void;
  onError: (error: unknown) => Response;
};

/** Adapts a fetch handler to node's requests. A client that has left gets no response. */
export function requestListener({
  answer,
  documentIn,
  compress,
  onError,
  ...options
}: Options): RequestListener {
  return async (incoming, outgoing) => {
    let request: Request | null = null;
    const isLeft = () => outgoing.destroyed || request?.signal.aborted;
    try {
      request = createRequest(incoming, outgoing, options);
      const response = withPrivateCookies(await answer(request, incoming.socket.remoteAddress ?? ''));
      if (isLeft()) return;
      const document = documentIn(response);
      if (document !== null && takesBrotli(incoming)) return sendDocument(outgoing, response, document);
      compress(incoming, outgoing);
      await sendResponse(outgoing, document === null ? response : new Response(document, response));
    } catch (error) {
      if (isLeft()) return;
      const failure = withPrivateCookies(onError(error));
      if (outgoing.headersSent) outgoing.destroy();
      else await sendResponse(outgoing, failure);
    }
  };
}
