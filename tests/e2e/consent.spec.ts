import { expect, type Page, test } from '@playwright/test';

const storageKey = 'keepsake.cookie-consent';
const day = 24 * 60 * 60 * 1000;

const banner = (page: Page) => page.getByRole('region', { name: 'Cookies' });
const stored = (page: Page): Promise<Record<string, string> | null> =>
  page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? 'null'), storageKey);
const reported = (page: Page): Promise<unknown[]> =>
  page.evaluate(() => (window as unknown as { reported: unknown[] }).reported);

/** Collects the page's broadcasts from the start. */
async function listen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const received: unknown[] = [];
    Object.assign(window, { reported: received });
    window.addEventListener('consent-updated', (event) => received.push((event as CustomEvent).detail));
  });
}

/** Answers the banner and checks the result: a new record, one broadcast, and no banner. */
async function answer(page: Page, button: string, type: string): Promise<void> {
  const before = (await reported(page)).length;
  const nowMs = await page.evaluate(() => Date.now());
  await banner(page).getByRole('button', { name: button }).click();
  await expect(banner(page)).toHaveCount(0);
  const record = await stored(page);
  expect(record).toEqual({ type, version: '1.0', timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(Math.abs(Date.parse(record?.timestamp ?? '') - nowMs)).toBeLessThan(60_000);
  expect((await reported(page)).slice(before)).toEqual([{ type }]);
}

test('The cookie banner asks once, again after 365 days, and whenever a visitor wants to change the answer', async ({
  page,
}) => {
  await listen(page);
  await page.goto('/faq');
  await banner(page).getByRole('link', { name: 'More about cookies' }).click();
  await expect(page).toHaveURL(/\/cookie_policy$/);
  await expect(banner(page)).toBeVisible();
  expect(await stored(page)).toBeNull();

  await answer(page, 'Accept all', 'all');
  await page.reload();
  await page.getByRole('button', { name: 'Cookie settings' }).click();
  await expect(banner(page)).toBeFocused();
  expect(await stored(page)).toMatchObject({ type: 'all' });
  await answer(page, 'Essential only', 'essential');

  await page.clock.setFixedTime(Date.now() + 364 * day);
  await page.goto('/cookie_policy');
  await expect(page.getByRole('button', { name: 'Cookie settings' })).toBeVisible();
  await expect(banner(page)).toHaveCount(0);
  await page.clock.setFixedTime(Date.now() + 366 * day);
  await page.goto('/cookie_policy');
  await expect(banner(page)).toBeVisible();
  expect(await stored(page)).toBeNull();
});

test('The message for a visitor who has to sign up does not cover the banner', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/dashboard');
  await expect(page.getByText('You must be authorized to see this page.')).toBeVisible();
  await banner(page).getByRole('button', { name: 'Essential only' }).click({ timeout: 5000 });
  await expect(banner(page)).toHaveCount(0);
});
