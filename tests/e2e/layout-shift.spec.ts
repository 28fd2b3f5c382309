import { setTimeout as delay } from 'node:timers/promises';
import { expect, type Page, test } from '@playwright/test';
import { asDemoStreamer, demoPerson } from './demo-people.ts';

const openPages = ['/', '/auth/signin', '/auth/signup', '/faq', '/contact_us', '/privacy_policy'];
const streamerPages = [
  '/dashboard',
  '/items',
  '/items/custody',
  '/rules',
  '/rules/new',
  '/transfers',
  '/settings',
];
const most = 0.02;
const fontLatenessMs = 800;

/** Sums up what moves without a person's doing, from the page's first moment on. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[])
        if (!entry.hadRecentInput) (window as unknown as { shift: number }).shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  // The fonts come when the page has long been drawn.
  await page.route('**/*.woff2', async (route) => {
    await delay(fontLatenessMs);
    await route.continue();
  });
}

async function shiftOf(page: Page, path: string): Promise<number> {
  await page.goto(path);
  await page.evaluate(() => document.fonts.ready);
  // Two frames: the one that the fonts are drawn in, and the one after which it has been told.
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

    test('nothing moves when the fonts arrive', async ({ page }) => {
      await watchShifts(page);
      for (const path of openPages) expect(await shiftOf(page, path), path).toBeLessThanOrEqual(most);
      await asDemoStreamer(async () => {
        const { email, password } = demoPerson(0);
        await page.goto('/auth/signin');
        await page.locator('[name="email"]').fill(email);
        await page.locator('[name="password"]').fill(password);
        await page.locator('form[method="post"] button.btn--primary').click();
        await page.waitForURL('**/dashboard');
        for (const path of streamerPages) expect(await shiftOf(page, path), path).toBeLessThanOrEqual(most);
      });
    });
  });
}
