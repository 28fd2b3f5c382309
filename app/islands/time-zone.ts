const yearSeconds = 365 * 24 * 60 * 60;

/** Stores the browser's time zone in a cookie for the server, each time anew. Returns whether it changed. */
export function reportTimeZone(): boolean {
  const before = document.cookie;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const isSecure = location.protocol === 'https:';
  const [prefix, secure] = isSecure ? ['__Host-', '; Secure'] : ['', ''];
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store API is not in every browser yet.
  document.cookie = `${prefix}keepsake_time_zone=${encodeURIComponent(timeZone)}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax${secure}`;
  return document.cookie !== before;
}
