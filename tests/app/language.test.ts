import { expect, test } from 'vitest';
import { detectLanguage } from '#app/middleware/language.server.ts';
import { languageCookie, themeCookie, themeOf, timeZoneOf } from '#app/services/preferences.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment();

function visit(headers: Record<string, string>) {
  return new Request('http://localhost:3000/', { headers });
}

test.each([
  ['en-US,en;q=0.9', 'en'],
  ['ru-RU,ru;q=0.9,en;q=0.8', 'ru'],
  ['ru', 'ru'],
  ['de-DE,de;q=0.9,ru;q=0.5', 'ru'],
  ['en-US,ru;q=0.5', 'en'],
  ['en;q=0.1,ru;q=0.9', 'ru'],
  ['ru;q=0', 'en'],
  ['de-DE', 'en'],
  ['*', 'en'],
  ['nonsense;;;', 'en'],
])('a browser that prefers %s gets %s', async (accepted, expected) => {
  expect(await detectLanguage(visit({ 'Accept-Language': accepted }))).toBe(expected);
});

test('English is the default', async () => {
  expect(await detectLanguage(visit({}))).toBe('en');
});

test('a chosen language wins over the browser’s, and an invalid one is ignored', async () => {
  const chosen = (await languageCookie().serialize('ru')).split(';')[0] ?? '';
  expect(await detectLanguage(visit({ Cookie: chosen, 'Accept-Language': 'en' }))).toBe('ru');
  const forged = (await languageCookie().serialize('xx')).split(';')[0] ?? '';
  expect(await detectLanguage(visit({ Cookie: forged, 'Accept-Language': 'ru' }))).toBe('ru');
  expect(await detectLanguage(visit({ Cookie: 'keepsake_language=%%%' }))).toBe('en');
});

test('a chosen theme is stored, and an invalid one means the system’s', async () => {
  const chosen = (await themeCookie().serialize('light')).split(';')[0] ?? '';
  expect(await themeOf(visit({ Cookie: chosen }))).toBe('light');
  expect(await themeOf(visit({ Cookie: 'keepsake_theme=x' }))).toBe('system');
});

test('only a valid time zone is accepted', () => {
  expect(timeZoneOf(visit({ Cookie: 'a=b; keepsake_time_zone=Europe%2FBerlin' }))).toBe('Europe/Berlin');
  expect(timeZoneOf(visit({ Cookie: 'keepsake_time_zone=Moon/Base' }))).toBe('UTC');
  expect(timeZoneOf(visit({ Cookie: 'keepsake_time_zone=%E0%A4%A' }))).toBe('UTC');
  expect(timeZoneOf(visit({}))).toBe('UTC');
});

test('one instance serves both languages, with their plurals', () => {
  expect(translations('ru')).toBe(translations('ru'));
  const { t } = translations('ru');
  expect([1, 2, 5, 21].map((count) => t('common.pieces', { count }))).toEqual([
    '1 штука',
    '2 штуки',
    '5 штук',
    '21 штука',
  ]);
  expect(translations('en').t('common.pieces', { count: 1 })).toBe('1 piece');
});
