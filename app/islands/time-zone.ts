const yearSeconds = 365 * 24 * 60 * 60;

/** Stores the browser's time zone in a cookie for the server, each time anew. Returns whether it changed. */
export function reportTimeZone(): boolean {
  const before = document.cookie;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store API is not in every browser yet.
  document.cookie = `keepsake_time_zone=${encodeURIComponent(timeZone)}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax${secure}`;
  return document.cookie !== before;
}
