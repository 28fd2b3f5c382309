/**
 * A path of this site that may be redirected to, or the fallback. Browsers treat `//host` and `/\host` as other sites
 * and drop tabs and line breaks, so the address is checked as a browser would resolve it.
 */
export function safePath(to: unknown, fallback = '/'): string {
  if (typeof to !== 'string' || !to.startsWith('/')) return fallback;
  const base = 'http://own.invalid';
  if (!URL.canParse(to, base)) return fallback;
  const url = new URL(to, base);
  if (url.origin !== base) return fallback;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith('//') ? fallback : path;
}
