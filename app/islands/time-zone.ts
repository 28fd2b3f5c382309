const yearSeconds = 365 * 24 * 60 * 60;

/** Tells the server the browser's time zone by a cookie. Answers whether that was news. */
export function reportTimeZone(known: string): boolean {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (!timeZone || timeZone === known) return false;
  const value = `keepsake_time_zone=${encodeURIComponent(timeZone)}`;
  if (document.cookie.split('; ').includes(value)) return false;
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store API is not in every browser yet.
  document.cookie = `${value}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax`;
  return true;
}
