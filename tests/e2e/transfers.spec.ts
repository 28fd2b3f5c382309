import { expect, type Page, test } from '@playwright/test';
import { demoPerson } from './demo-people.ts';
import { asDemoStreamer } from './taking-turns.ts';

async function signIn(page: Page): Promise<void> {
  const { email, password } = demoPerson(0);
  await page.goto('/auth/signin');
  await page.locator('input[name="email"]').fill(email);
  await page.locator('input[name="password"]').fill(password);
  await page.locator('form:has(input[name="password"]) button[type="submit"]').click();
  await page.waitForURL('**/dashboard');
}

const heads = (page: Page) => page.locator('.transfer__head');
const bodies = (page: Page) => page.locator('.transfer__body');

/** The card is open, no other is, and the address says so. */
async function expectOpen(page: Page, place: number): Promise<void> {
  await expect(heads(page).nth(place)).toHaveAttribute('aria-expanded', 'true');
  await expect(bodies(page)).toHaveCount(1);
  const id = (await heads(page).nth(place).getAttribute('aria-controls')) ?? '';
  await expect(page.locator(`[id="${id}"] .timeline`)).toBeVisible();
  expect(new URL(page.url()).searchParams.get('open')).toBe(id);
}

test('A transfer is opened and closed by keyboard, by the way back, and by its address', async ({ page }) => {
  await asDemoStreamer(async () => {
    await signIn(page);
    await page.goto('/transfers?open=');
    await page.waitForFunction(() =>
      Object.keys(document.querySelector('main h1') ?? {}).some((name) => name.startsWith('__reactProps')),
    );
    await expect(bodies(page)).toHaveCount(0);
    await page.evaluate(() => document.body.setAttribute('data-same-document', ''));
    await heads(page).nth(1).focus();
    await page.keyboard.press('Enter');
    await expectOpen(page, 1);
    await expect(heads(page).nth(1)).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expectOpen(page, 0);
    await page.goBack();
    await expectOpen(page, 1);
    const address = page.url();
    await heads(page).nth(1).click();
    await expect(bodies(page)).toHaveCount(0);
    await expect(page.locator('body[data-same-document]')).toHaveCount(1);
    await page.goto(address);
    await expectOpen(page, 1);
    await expect(heads(page).nth(1)).toBeFocused();
  });
});

test.describe('Without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test('a transfer is opened and closed by links', async ({ page }) => {
    await asDemoStreamer(async () => {
      await signIn(page);
      await page.goto('/transfers?open=');
      await expect(bodies(page)).toHaveCount(0);
      await heads(page).nth(1).click();
      await expectOpen(page, 1);
      await heads(page).nth(1).click();
      await expect(bodies(page)).toHaveCount(0);
    });
  });
});
