import { createCookie } from 'react-router';
import { isTheme, type Theme } from '#app/components/shell/page-context.tsx';
import { config } from '#app/config.server.ts';
import type { Language } from '#app/locales/languages.ts';

const year = 365 * 24 * 60 * 60;

// Created when this module is loaded, so settings are added when a cookie is written.
function preferenceCookie(name: string) {
  return createCookie(name, {
    path: '/',
    sameSite: 'lax',
    httpOnly: true,
    maxAge: year,
  });
}

export const languageCookie = preferenceCookie('keepsake_language');
export const themeCookie = preferenceCookie('keepsake_theme');

/** The Set-Cookie value that stores a language in this browser. */
export const saveLanguage = (language: Language): Promise<string> =>
  languageCookie.serialize(language, { secure: config().secure });

/** The Set-Cookie value that stores a theme in this browser. */
export const saveTheme = (theme: Theme): Promise<string> =>
  themeCookie.serialize(theme, { secure: config().secure });

/** The theme cookie: dark, light, or the system's setting if nothing was chosen. */
export async function themeOf(request: Request): Promise<Theme> {
  const value: unknown = await themeCookie.parse(request.headers.get('Cookie'));
  return isTheme(value) ? value : 'system';
}

/** The time zone that the browser reported by a cookie; null before it has. */
export function reportedTimeZone(request: Request): string | null {
  const match = /(?:^|;\s*)keepsake_time_zone=([^;]*)/.exec(request.headers.get('Cookie') ?? '');
  if (!match?.[1]) return null;
  try {
    const zone = decodeURIComponent(match[1]);
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** The browser's time zone; UTC before it has reported one. */
export const timeZoneOf = (request: Request): string => reportedTimeZone(request) ?? 'UTC';
