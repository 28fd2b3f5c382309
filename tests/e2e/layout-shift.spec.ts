import { setTimeout as delay } from 'node:timers/promises';
import { expect, type Page, test } from '@playwright/test';
import { demoPerson } from './demo-people.ts';
import { asDemoStreamer } from './taking-turns.ts';

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
const max = 0.02;
/** Letters of one script are there before those of the other, and before spaces and digits. */
const fontLatenessMs = { cyrillic: 400, latin: 800 };

/** Sums up layout shifts without user input, from the start. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[])
        if (!entry.hadRecentInput) (window as unknown as { shift: number }).shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  // The fonts arrive long after the page is rendered.
  await page.route('**/*.woff2', async (route) => {
    await delay(fontLatenessMs[route.request().url().includes('cyrillic') ? 'cyrillic' : 'latin']);
    await route.continue();
  });
}

async function shiftOf(page: Page, path: string): Promise<number> {
  await page.goto(path);
  await page.evaluate(() => document.fonts.ready);
  // Two frames: one to render the fonts, and one after which the shift is reported.
  return page.evaluate(
    () =>
      new Promise<number>((done) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() => done((window as unknown as { shift: number }).shift)),
        ),
      ),
  );
}

for (const [width, locale] of [
  [1440, 'en-US'],
  [390, 'ru-RU'],
] as const) {
  test.describe(`At ${width} px, ${locale}`, () => {
    test.use({ viewport: { width, height: 900 }, locale });

    test('nothing shifts when the fonts arrive', async ({ page }) => {
      await watchShifts(page);
      for (const path of openPages) expect(await shiftOf(page, path), path).toBeLessThanOrEqual(max);
      await asDemoStreamer(async () => {
        const { email, password } = demoPerson(0);
        await page.goto('/auth/signin');
        await page.locator('[name="email"]').fill(email);
        await page.locator('[name="password"]').fill(password);
        await page.locator('[name="password"]').press('Enter');
        await page.waitForURL('**/dashboard');
        for (const path of streamerPages) expect(await shiftOf(page, path), path).toBeLessThanOrEqual(max);
      });
    });
  });
}
