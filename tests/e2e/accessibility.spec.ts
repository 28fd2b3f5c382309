import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { asDemoStreamer } from './demo-people.ts';
import { findViolations, overflowOf } from './find-violations.ts';

interface DemoNotes {
  people: { email: string; password: string }[];
}

const openPages = [
  '/',
  '/auth/signin',
  '/auth/signup',
  '/auth/forgot-password',
  '/channels/demo_streamer',
  '/faq',
  '/help',
  '/terms_of_service',
  '/privacy_policy',
  '/cookie_policy',
  '/extension/success',
  '/extension/failed',
  '/api/docs',
  '/nowhere',
];
const streamerPages = [
  '/dashboard',
  '/profile',
  '/items',
  '/items/custody',
  '/transfers',
  '/rules',
  '/rules/new',
  '/channel',
  '/channel/guests',
  '/browseChannels',
  '/rewardProgress',
  '/rewardHistory',
  '/rules/who-got-what',
  '/settings',
  '/extension/code',
  '/auth/signout',
];

async function signInAsStreamer(page: Page): Promise<void> {
  const notes = JSON.parse(readFileSync(join(process.env.E2E_DATA ?? '', 'demo.json'), 'utf8')) as DemoNotes;
  await page.goto('/auth/signin');
  await page.getByLabel('Email').fill(notes.people[0]?.email ?? '');
  await page.getByLabel('Password').fill(notes.people[0]?.password ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/dashboard');
}

/** The axe violations of a page, and whether it is wider than the window. */
async function faultsOf(page: Page, path: string) {
  await page.goto(path);
  return { violations: await findViolations(page), overflow: await overflowOf(page) };
}

/** Chooses the language with its button; the account stores it. */
const speak = (page: Page, language: string) =>
  page.evaluate(
    (chosen) => fetch('/language', { method: 'POST', body: new URLSearchParams({ language: chosen }) }),
    language,
  );

for (const [width, colorScheme, language] of [
  [1440, 'dark', 'en'],
  [390, 'light', 'ru'],
] as const) {
  test.describe(`At ${width} px, ${colorScheme}, ${language}`, () => {
    test.use({ viewport: { width, height: 900 }, colorScheme, locale: 'en-US' });

    test('every page is accessible and fits the window', async ({ page }) => {
      await asDemoStreamer(async () => {
        await signInAsStreamer(page);
        await speak(page, language);
        for (const path of streamerPages)
          expect(await faultsOf(page, path), path).toEqual({ violations: [], overflow: 0 });
      });
      await page.context().clearCookies({ name: /session/ });
      for (const path of openPages)
        expect(await faultsOf(page, path), path).toEqual({ violations: [], overflow: 0 });
    });
  });
}
