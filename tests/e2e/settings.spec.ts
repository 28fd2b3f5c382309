import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { findViolations, overflowOf } from './find-violations.ts';
import { testOfProof } from './taking-turns.ts';

interface DemoNotes {
  people: { email: string; password: string }[];
}

/** Signs in one of the demo's viewers; each test uses another one. */
async function signIn(page: Page, place: number): Promise<{ password: string }> {
  const notes = JSON.parse(readFileSync(join(process.env.E2E_DATA ?? '', 'demo.json'), 'utf8')) as DemoNotes;
  const { email = '', password = '' } = notes.people[place] ?? {};
  await page.goto('/auth/signin');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/dashboard');
  return { password };
}

test('A success message is announced and disappears', async ({ page }) => {
  await signIn(page, 5);
  await page.goto('/settings');
  const region = page.getByRole('region', { name: 'Notifications' });
  await expect(region.locator('[aria-live=polite]')).toBeAttached();
  await page.getByRole('button', { name: 'Save notifications' }).click();
  const toast = region.locator('[aria-live=polite]').getByText('Settings saved');
  await expect(toast).toBeVisible();
  await expect(toast).toHaveCount(0);
});

test('An error is announced at once and stays until it is closed', async ({ page }) => {
  await signIn(page, 6);
  await page.goto('/auth/twitch/callback?state=made-up&code=x');
  await page.waitForURL('**/profile');
  const urgent = page.getByRole('region', { name: 'Notifications' }).locator('[aria-live=assertive]');
  await expect(urgent.getByText('This sign-in did not start in this browser')).toBeVisible();
  await page.clock.install();
  await page.clock.runFor(10_000);
  await expect(urgent.getByText('This sign-in did not start in this browser')).toBeVisible();
  await urgent.getByRole('button', { name: 'Dismiss' }).click();
  await expect(urgent.getByText('This sign-in did not start in this browser')).toHaveCount(0);
});

testOfProof('A token is created, shown once and revoked', async ({ page }) => {
  await signIn(page, 7);
  await page.goto('/settings');
  await page.getByLabel('Name', { exact: true }).fill('Stream deck');
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.locator('code', { hasText: /^keepsake_/ })).toBeVisible();
  await page.goto('/settings');
  await expect(page.locator('code', { hasText: /^keepsake_/ })).toHaveCount(0);
  await page.getByRole('link', { name: 'Revoke Stream deck' }).click();
  await page.getByRole('button', { name: 'Revoke Stream deck' }).click();
  await expect(page.getByText('No tokens yet.')).toBeVisible();
});

testOfProof('A code for the companion app stays on the page that shows it', async ({ page }) => {
  await signIn(page, 8);
  await page.goto('/extension/code');
  await expect(page.locator('.code--big code')).toHaveCount(0);
  await page.getByRole('button', { name: 'Show a code' }).click();
  const code = await page.locator('.code--big code').textContent();
  expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
  await expect(page.getByText(/Works once, for 10 minutes/)).toBeVisible();
  await page.getByRole('button', { name: 'Show a new code' }).click();
  await expect(page.locator('.code--big code')).not.toHaveText(code ?? '');
});

test.describe('Without JavaScript', () => {
  testOfProof.use({ javaScriptEnabled: false });

  testOfProof(
    'A user signs out elsewhere, gets a code, chooses a language and deletes the account',
    async ({ page, browser }) => {
      const other = await browser.newContext({ javaScriptEnabled: false });
      const elsewhere = await other.newPage();
      await signIn(elsewhere, 9);
      const { password } = await signIn(page, 9);
      await page.goto('/settings');
      await page.getByRole('link', { name: 'Sign out everywhere else' }).click();
      await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await elsewhere.goto('/settings');
      await expect(elsewhere).toHaveURL(/\/auth\/signup$/);
      await other.close();

      await page.goto('/extension/code');
      await page.getByRole('button', { name: 'Show a code' }).click();
      await expect(page.locator('.code--big code')).toHaveText(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
      await page.goto('/settings');

      await page.getByLabel('Русский').check();
      await page.getByRole('button', { name: 'Save language' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Настройки' })).toBeVisible();
      await page.getByRole('link', { name: 'Удалить аккаунт' }).click();
      await page.getByLabel('Ваш пароль').fill('not the password');
      await page.getByRole('button', { name: 'Удалить аккаунт' }).click();
      await expect(page.getByText('Это не ваш текущий пароль.')).toBeVisible();
      await page.getByLabel('Ваш пароль').fill(password);
      await page.getByRole('button', { name: 'Удалить аккаунт' }).click();
      // Playwright's text matching skips noscript, which contains the message.
      await expect(page.locator('.flash')).toContainText('Аккаунт удалён');
      await page.goto('/settings');
      await expect(page).toHaveURL(/\/auth\/signup$/);
    },
  );
});

for (const [width, colorScheme] of [
  [1440, 'dark'],
  [390, 'light'],
] as const) {
  test.describe(`At ${width} px, ${colorScheme}`, () => {
    test.use({ viewport: { width, height: 900 }, colorScheme });

    test('settings and the companion app’s pages are accessible and fit the window', async ({ page }) => {
      await signIn(page, 10);
      for (const path of [
        '/settings',
        '/settings/tokens',
        '/settings/delete',
        '/extension/code',
        '/extension/success?account=steam',
        '/extension/failed?account=twitch&reason=denied',
      ]) {
        await page.goto(path);
        expect(await findViolations(page), path).toEqual([]);
        expect(await overflowOf(page), path).toBe(0);
      }
    });
  });
}
