import type { MiddlewareFunction } from 'react-router';
import { harmless } from '#platform/harmless.ts';

/** Removes hidden characters from the data from which the browser's router draws a page, as from the document. */
export const harmlessData: MiddlewareFunction<Response> = async ({ request }, next) => {
  const response = await next();
  const isData = response.headers.get('Content-Type')?.startsWith('text/x-script') === true;
  if (!isData || !response.body || request.method === 'HEAD') return response;
  return new Response(harmless(await response.text()), response);
};
