const SITE = 'https://steamcommunity.com';

/** What a browser sends with every request. */
const usual = { Accept: '*/*', 'Accept-Language': 'en-US,en;q=0.9' };

/**
 * The headers of a request to Steam's web as a browser would send them: since 2026 Steam answers 429 to requests that do
 * not look like one. What a package set itself stands; confirmations come from the phone's app, which has no page before.
 */
export function browserHeaders(
  url: string,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const known = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const isPage = url.startsWith(`${SITE}/`) && !url.startsWith(`${SITE}/mobileconf/`);
  const wanted: Record<string, string> = { ...usual, ...(isPage && { Referer: `${SITE}/` }) };
  const missing = Object.entries(wanted).filter(([name]) => !known.has(name.toLowerCase()));
  return { ...given, ...Object.fromEntries(missing) };
}
