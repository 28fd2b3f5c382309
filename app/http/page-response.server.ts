const documents = new WeakMap<Response, string>();

/**
 * A page as a response. The server outside this bundle sends it in one piece: streaming and compressing a body takes
 * longer than rendering most pages. Nobody else reads it, so it is no body there; the development server knows bodies
 * only.
 */
export function pageResponse(html: string, init?: ResponseInit): Response {
  const response = new Response(import.meta.env.DEV ? html : null, init);
  response.headers.set('Content-Type', 'text/html; charset=utf-8');
  documents.set(response, html);
  return response;
}

/** The whole page of a response; null if the response is not a page. */
export const documentIn = (response: Response): string | null => documents.get(response) ?? null;
