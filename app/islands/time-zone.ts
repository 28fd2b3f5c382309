const yearSeconds = 365 * 24 * 60 * 60;

/** Stores the browser's time zone in a cookie for the server. Returns whether it changed. */
export function reportTimeZone(known: string): boolean {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (!timeZone || timeZone === known) return false;
  const value = `keepsake_time_zone=${encodeURIComponent(timeZone)}`;
  if (document.cookie.split('; ').includes(value)) return false;
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store API is not in every browser yet.
  document.cookie = `${value}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax`;
  return true;
}
