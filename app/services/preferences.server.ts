import { isTheme, type Theme } from '#app/components/shell/page-context.tsx';
import { ownCookie, ownCookieName } from '#app/http/own-cookie.server.ts';
import type { Language } from '#app/locales/languages.ts';
import { boundedCache } from '#platform/bounded-cache.ts';

const year = 365 * 24 * 60 * 60;

export const languageCookie = () => ownCookie('keepsake_language', { maxAge: year, isSigned: false });
export const themeCookie = () => ownCookie('keepsake_theme', { maxAge: year, isSigned: false });

/** The Set-Cookie value that stores a language in this browser. */
export const saveLanguage = (language: Language): Promise<string> => languageCookie().serialize(language);

/** The Set-Cookie value that stores a theme in this browser. */
export const saveTheme = (theme: Theme): Promise<string> => themeCookie().serialize(theme);

/** The theme cookie: dark, light, or the system's setting if nothing was chosen. */
export async function themeOf(request: Request): Promise<Theme> {
  const value: unknown = await themeCookie().parse(request.headers.get('Cookie'));
  return isTheme(value) ? value : 'system';
}

/** A name in the IANA database. Newer runtimes also take offsets such as `+05:31`, of which there are thousands. */
const zoneName = /^[a-z][\w+-]{0,29}(\/[a-z][\w+-]{0,29}){0,2}$/i;
/** Time zones as browsers report them, cached because asking the runtime costs as much as a small page. */
const zones = boundedCache<string, string | null>('timeZones', 600);

/** The runtime's own spelling of a time zone; null if there is none of this name. */
function realZone(name: string): string | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  let zone: string | null = null;
  try {
    zone = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    // No zone has this name.
  }
  zones.set(name, zone);
  return zone;
}

/** The time zone that the browser reported by a cookie; null before it has. */
export function reportedTimeZone(request: Request): string | null {
  const prefix = `${ownCookieName('keepsake_time_zone')}=`;
  const pairs = (request.headers.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  const reported =
    pairs
      .find((pair) => pair.startsWith(prefix))
      ?.slice(prefix.length)
      .replaceAll(/%2F/gi, '/')
      .replaceAll(/%2B/gi, '+') ?? '';
  return zoneName.test(reported) ? realZone(reported) : null;
}

/** The browser's time zone; UTC before it has reported one. */
export const timeZoneOf = (request: Request): string => reportedTimeZone(request) ?? 'UTC';
