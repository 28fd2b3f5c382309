import { expect, type Page, test } from '@playwright/test';
import { demoPerson } from './demo-people.ts';
import { asDemoStreamer } from './taking-turns.ts';

async function signIn(page: Page): Promise<void> {
  const { email, password } = demoPerson(0);
  await page.goto('/auth/signin');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/dashboard');
  // Other tests with this account change its language.
  await page.evaluate(() =>
    fetch('/language', { method: 'POST', body: new URLSearchParams({ language: 'en' }) }),
  );
}

test('A new rule has the cursor in its name, also if its page comes slowly', async ({ page }) => {
  await asDemoStreamer(async () => {
    await signIn(page);
    await page.goto('/rules');
    const skeleton = page.locator('.skeleton').first();
    await page.route('**/rules/new.data**', async (route) => {
      await expect(skeleton).toBeVisible();
      await route.continue();
    });
    await page.getByRole('main').getByRole('link', { name: 'New rule' }).first().click();
    await expect(page.getByRole('heading', { name: 'New rule' })).toBeVisible();
    await expect(skeleton).toHaveCount(0);
    await expect(page.getByLabel('Name', { exact: true })).toBeFocused({ timeout: 5000 });
  });
});

test('A quantity that a search hides is still picked when its field is shown again', async ({ page }) => {
  await asDemoStreamer(async () => {
    await signIn(page);
    await page.goto('/rules/new');
    const [kind] = await page.locator('input[name=item]').all();
    const quantity = page.locator(`[name="item:${await kind?.inputValue()}"]`);
    await quantity.fill('1');
    const search = page.locator('input[name=search]');
    await search.fill('nothing is called so');
    await expect(quantity).toHaveAttribute('type', 'hidden');
    await search.fill('');
    await expect(quantity).toHaveValue('1');
  });
});
