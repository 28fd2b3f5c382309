import type { HeadersArgs } from 'react-router';

/**
 * The headers of a page that may refuse for some time: the router sends those of its action and loader only if the route
 * exports them, with the document and with its data.
 */
export function waitHeaders({
  actionHeaders,
  loaderHeaders,
}: Pick<HeadersArgs, 'actionHeaders' | 'loaderHeaders'>) {
  const headers = new Headers();
  const wait = actionHeaders.get('Retry-After') ?? loaderHeaders.get('Retry-After');
  if (wait !== null) headers.set('Retry-After', wait);
  return headers;
}

/** The headers of a page that shows a secret: it is never cached, not even for the browser's back button. */
export function secretHeaders(args: Parameters<typeof waitHeaders>[0]) {
  const headers = waitHeaders(args);
  headers.set('Cache-Control', 'no-store');
  return headers;
}
