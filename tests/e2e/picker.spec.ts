import { expect, test } from '@playwright/test';
import { demoPerson } from './demo-people.ts';
import { asDemoStreamer } from './taking-turns.ts';

test('A quantity that a search hides is still picked when its field is shown again', async ({ page }) => {
  const { email, password } = demoPerson(0);
  await asDemoStreamer(async () => {
    await page.goto('/auth/signin');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/dashboard');
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
