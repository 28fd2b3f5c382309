/** Browsers name an extension by an id that its maker, or the browser itself, has chosen: any of them may ask. */
const schemes = ['chrome-extension:', 'moz-extension:', 'safari-web-extension:'];

/** Returns whether a browser says that an extension makes this request: no page can have such an origin. */
export function isExtension({ headers }: Request): boolean {
  const origin = headers.get('Origin') ?? '';
  return schemes.some((scheme) => origin.startsWith(`${scheme}//`));
}

/**
 * Lets an extension read the answer, so that it needs no permission for this site. Cookies are never allowed: it calls with a
 * token of its own, or as a stranger.
 */
export function allowExtension(request: Request, response: Response): Response {
  if (!isExtension(request)) return response;
  const { headers } = response;
  headers.set('Access-Control-Allow-Origin', request.headers.get('Origin') ?? '');
  headers.append('Vary', 'Origin');
  headers.set('Access-Control-Expose-Headers', 'Retry-After');
  if (request.method !== 'OPTIONS') return response;
  headers.set('Access-Control-Allow-Methods', headers.get('Allow') ?? '');
  headers.set('Access-Control-Allow-Headers', 'Authorization, Content-Type');
  headers.set('Access-Control-Max-Age', '600');
  return response;
}
