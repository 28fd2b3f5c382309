const documents = new WeakMap<Response, Buffer>();

/**
 * A page as a response. The server outside this bundle sends it in one piece: streaming and compressing a body takes
 * longer than rendering most pages.
 */
export function pageResponse(html: Buffer<ArrayBuffer>, init?: ResponseInit): Response {
  const response = new Response(html, init);
  response.headers.set('Content-Type', 'text/html; charset=utf-8');
  documents.set(response, html);
  return response;
}

/** The whole page of a response; null if the response is not a page. */
export const documentIn = (response: Response): Buffer | null => documents.get(response) ?? null;
