const documents = new WeakMap<Response, Buffer>();

/**
 * A page as an answer. The server outside of this bundle sends it in one piece: to read the answer's body as a stream,
 * and to compress that as another, takes longer than most pages take to draw.
 */
export function pageResponse(html: Buffer<ArrayBuffer>, init?: ResponseInit): Response {
  const response = new Response(html, init);
  response.headers.set('Content-Type', 'text/html; charset=utf-8');
  documents.set(response, html);
  return response;
}

/** All of a page that is answered; null when the answer is no page. */
export const documentIn = (response: Response): Buffer | null => documents.get(response) ?? null;
