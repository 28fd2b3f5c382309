import { setTimeout as delay } from 'node:timers/promises';
import { expect, type Page, test } from '@playwright/test';
import { findWholeBrowser } from '#tests/support/browser.ts';
import { demoPerson } from './demo-people.ts';
import { MAX_SHIFT, shiftOf, watchShifts } from './shifts.ts';
import { asDemoStreamer } from './taking-turns.ts';

// Lines break elsewhere in the headless shell than in the browsers that people have.
const browser = findWholeBrowser();
if (browser) test.use({ launchOptions: browser });

const openPages = [
  '/',
  '/auth/signin',
  '/auth/signup',
  '/faq',
  '/contact_us',
  '/privacy_policy',
  '/terms_of_service',
];
const streamerPages = [
  '/dashboard',
  '/items',
  '/items/custody',
  '/rules',
  '/rules/new',
  '/transfers',
  '/settings',
];
/** Letters of one script are there before those of the other, and before spaces and digits. */
const fontLatenessMs = { cyrillic: 400, latin: 800 };

/** The fonts arrive long after the page is rendered. */
const delayFonts = (page: Page): Promise<unknown> =>
  page.route('**/*.woff2', async (route) => {
    await delay(fontLatenessMs[route.request().url().includes('cyrillic') ? 'cyrillic' : 'latin']);
    await route.continue();
  });

async function shiftAt(page: Page, path: string): Promise<number> {
  await page.goto(path);
  return shiftOf(page);
}

for (const [width, locale] of [
  [1440, 'en-US'],
  [390, 'ru-RU'],
] as const) {
  test.describe(`At ${width} px, ${locale}`, () => {
    test.use({ viewport: { width, height: 900 }, locale });

    test('nothing shifts when the fonts arrive', async ({ page }) => {
      await watchShifts(page);
      await delayFonts(page);
      for (const path of openPages) expect(await shiftAt(page, path), path).toBeLessThanOrEqual(MAX_SHIFT);
      await asDemoStreamer(async () => {
        const { email, password } = demoPerson(0);
        await page.goto('/auth/signin');
        await page.locator('[name="email"]').fill(email);
        await page.locator('[name="password"]').fill(password);
        await page.locator('[name="password"]').press('Enter');
        await page.waitForURL('**/dashboard');
        for (const path of streamerPages)
          expect(await shiftAt(page, path), path).toBeLessThanOrEqual(MAX_SHIFT);
      });
    });
  });
}
