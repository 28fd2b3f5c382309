import { data } from 'react-router';
import { isLanguage } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';
import type { Route } from './+types/manifest.ts';

const icon = (name: string, size: number) => ({
  src: `/${name}-${size}.png`,
  type: 'image/png',
  sizes: `${size}x${size}`,
});

/** Tells browsers how Keepsake is installed. Its id is the same in each language, so that an app stays the one that it is. */
export function loader({ params }: Route.LoaderArgs): Response {
  const { language } = params;
  if (!isLanguage(language)) throw data(null, { status: 404 });
  const { t } = translations(language);
  const shortcut = (name: string, url: string) => ({ name, url, icons: [icon('icon', 192)] });
  const manifest = {
    name: t('common.name'),
    short_name: t('common.name'),
    id: '/',
    start_url: '/dashboard',
    scope: '/',
    lang: language,
    display: 'standalone',
    background_color: '#0e1110',
    theme_color: '#0e1110',
    shortcuts: [
      shortcut(t('shell.link.rewardProgress'), '/rewardProgress'),
      shortcut(t('shell.link.transfers'), '/transfers'),
      shortcut(t('shell.link.browse'), '/browseChannels'),
    ],
    icons: [
      { src: '/favicon.svg', type: 'image/svg+xml', sizes: 'any' },
      icon('icon', 192),
      icon('icon', 512),
      { ...icon('icon-maskable', 512), purpose: 'maskable' },
    ],
  };
  return Response.json(manifest, {
    headers: { 'Content-Type': 'application/manifest+json', 'Cache-Control': 'public, max-age=86400' },
  });
}
