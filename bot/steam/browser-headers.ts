const SITE = 'https://steamcommunity.com';

/** Headers that a browser sends with every request. */
const usual = { Accept: '*/*', 'Accept-Language': 'en-US,en;q=0.9' };

/**
 * Adds the headers that a browser would send with a request to Steam's web, because since 2026 Steam answers
 * 429 to requests without them. Headers set by a package win. Confirmations come from the phone app, so they
 * have no referer.
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
