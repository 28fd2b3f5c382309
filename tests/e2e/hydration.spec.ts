import { expect, type Page, test } from '@playwright/test';
import { en } from '#app/locales/en.ts';
import { ru } from '#app/locales/ru.ts';
import { demoPerson, openRuleByApi } from './demo-people.ts';
import { asDemoStreamer } from './taking-turns.ts';

const pages = [
  '/dashboard',
  '/rules',
  '/rules/new',
  '/items',
  '/items/custody',
  '/transfers',
  '/rewardProgress',
  '/channel',
  '/profile',
  '/profile/name',
  '/settings',
  '/extension/code',
  '/device',
];

/** A key shown in place of its text, as in a browser that lacks the text. */
const key = new RegExp(`\\b(${Object.keys(en).join('|')})\\.[a-z]\\w+`);

async function signInAsStreamer(page: Page): Promise<void> {
  const { email, password } = demoPerson(0);
  await page.goto('/auth/signin');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/dashboard');
}

/** React leaves a property on elements that it has hydrated. */
const hydrated = (page: Page) =>
  page.waitForFunction(() =>
    Object.keys(document.querySelector('main h1') ?? {}).some((name) => name.startsWith('__reactProps')),
  );

for (const language of ['en', 'ru'])
  test(`Pages hydrate without errors and missing texts (${language})`, async ({ page }) => {
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await asDemoStreamer(async () => {
      await signInAsStreamer(page);
      await page.evaluate(
        (chosen) => fetch('/language', { method: 'POST', body: new URLSearchParams({ language: chosen }) }),
        language,
      );
      for (const path of pages) {
        await page.goto(path);
        await hydrated(page);
        expect(await page.locator('body').innerText(), path).not.toMatch(key);
      }
      // Also when navigating between pages.
      await page.locator('nav a[href="/rules"]').first().click();
      await page.locator('main a[href="/rules/new"]').first().click();
      await expect(page.locator('main input[name="name"]')).toBeVisible();
      expect(await page.locator('body').innerText()).not.toMatch(key);
      expect(complaints).toEqual([]);
      // A browser itself logs the refusal of a form.
      await page.goto('/profile/name');
      await hydrated(page);
      await page.locator('main input[name="name"]').fill('');
      await page.locator('main form button[type="submit"]').first().click();
      await expect(page.locator('.field__error')).toHaveText(
        language === 'en' ? en.errors.field.name : /\S+ \S+/,
      );
      await expect(page.locator('.field__error')).not.toHaveText(key);
    });
  });

test('A page without React copies its address', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asDemoStreamer(async () => {
    await signInAsStreamer(page);
    // A channel has a page as soon as it has a rule.
    await openRuleByApi(page, { name: 'A page to share', watch_minutes: 600 });
  });
  await context.clearCookies();
  await page.goto('/channels/demo_streamer');
  const address = await page.locator('.code code').innerText();
  await page.getByRole('button', { name: `Copy: ${address}` }).click();
  await expect(page.locator('.code').getByRole('status')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
});

test('A refused form stays as it is when its error text cannot be loaded', async ({ page }) => {
  await asDemoStreamer(async () => {
    await signInAsStreamer(page);
    await page.route(/\/errors(-\w+)?\.js$/, (route) => route.abort());
    await page.goto('/profile/name');
    await hydrated(page);
    await page.locator('main input[name="name"]').fill('  ');
    await page.locator('main form button[type="submit"]').first().click();
    // Other tests with this account change its language.
    const texts = [en, ru].map(({ common }) => common.reasonNotLoaded);
    await expect(page.locator('.field__error')).toHaveText(new RegExp(texts.join('|')));
    await expect(page.locator('main input[name="name"]')).toBeVisible();
  });
});
