import { createCookie } from 'react-router';
import { isTheme, type Theme } from '#app/components/surroundings.tsx';
import { config } from '#app/config.server.ts';

const year = 365 * 24 * 60 * 60;

function preferenceCookie(name: string) {
  return createCookie(name, {
    path: '/',
    sameSite: 'lax',
    httpOnly: true,
    maxAge: year,
    secure: config().secure,
  });
}

export const languageCookie = preferenceCookie('keepsake_language');
export const themeCookie = preferenceCookie('keepsake_theme');

/** Dark, light, or the system's own choice when nobody chose here. */
export async function themeOf(request: Request): Promise<Theme> {
  const value: unknown = await themeCookie.parse(request.headers.get('Cookie'));
  return isTheme(value) ? value : 'system';
}

/** The time zone that the browser reported by a cookie; UTC before it has. */
export function timeZoneOf(request: Request): string {
  const match = /(?:^|;\s*)keepsake_time_zone=([^;]*)/.exec(request.headers.get('Cookie') ?? '');
  if (!match?.[1]) return 'UTC';
  try {
    const zone = decodeURIComponent(match[1]);
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
