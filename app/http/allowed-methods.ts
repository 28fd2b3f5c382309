/** These answer requests of every method themselves, in their own format. */
const apiPrefixes = ['/api/v1/', '/sanctum/'];
/** The router's own list of routes, which it would send for any method. */
const manifestPath = '/__manifest';

/**
 * The methods that an address takes, if this one is not among them; null if it may be answered. The router would render a
 * whole page for a method that no page has, before any middleware runs.
 */
export function otherMethodsOf({ method = '', url = '' }: { method?: string; url?: string }): string | null {
  const [path = ''] = url.split('?');
  if (apiPrefixes.some((prefix) => path.startsWith(prefix))) return null;
  const allowed = path === manifestPath ? ['GET', 'HEAD'] : ['GET', 'HEAD', 'POST'];
  return allowed.includes(method) ? null : allowed.join(', ');
}
