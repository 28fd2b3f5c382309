import { expect, type Page, type Request, test } from '@playwright/test';
import { demoPerson } from './demo-people.ts';
import { findViolations, overflowOf } from './find-violations.ts';
import { testOfProof } from './taking-turns.ts';
import { plugIn } from './virtual-device.ts';

const isRead = (request: Request) => request.method() === 'GET';

testOfProof(
  'A browser adds a passkey, signs in with it, and removes it',
  async ({ page, browser, baseURL }) => {
    const { email, password } = demoPerson(11);
    const enter = async (where: Page) => {
      await where.goto('/auth/signin?to=/profile/second-factor');
      await where.getByLabel('Email').fill(email);
      await where.getByLabel('Password').fill(password);
      await where.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    const device = await plugIn(page);
    await enter(page);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await expect(page.getByLabel('Name')).toHaveValue(/^Chrome, /);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create passkey' }).click();
    await expect(page.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem')).toHaveCount(
      10,
    );
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await expect(page.getByRole('row', { name: /Chrome, .*Never/ })).toBeVisible();
    expect(await findViolations(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);

    await page.context().clearCookies();
    await enter(page);
    await expect(page).toHaveURL(/\/auth\/second-step/);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page).toHaveURL(/\/profile\/second-factor$/);
    await expect(page.getByRole('row', { name: /Chrome, / })).not.toContainText('Never');

    await page.context().clearCookies();
    await page.goto('/auth/signin?to=/profile/second-factor');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(page).toHaveURL(/\/profile\/second-factor$/);

    const withoutScript = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
    const still = await withoutScript.newPage();
    await enter(still);
    // Playwright does not search inside noscript.
    expect(await still.content()).toMatch(/<noscript>.*Passkeys need JavaScript\./);
    await expect(still.getByRole('button', { name: 'Use a passkey' })).toBeHidden();
    await still.getByRole('link', { name: 'Use a recovery code instead' }).click();
    await expect(still.getByLabel('Recovery code')).toBeVisible();
    await withoutScript.close();

    // Another tab is asked instead of this one, whose first answer is refused; the second one counts, even if it is
    // given before the page has another challenge.
    await page.getByRole('link', { name: /^Remove Chrome/ }).click();
    await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.close();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const other = page.waitForRequest((request) => /remove\.data/.test(request.url()) && isRead(request));
    await page.route('**/remove.data*', async (route) => {
      if (isRead(route.request())) await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByText('This passkey was not accepted')).toBeVisible();
    await other;
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    release();
    await expect(page.getByText('No passkeys yet.')).toBeVisible();

    // A device that has deleted the passkey, and one that is asked for a second one.
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Create passkey' }).click();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await device.clear();
    await page.getByRole('link', { name: /^Remove Chrome/ }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByRole('alert')).toContainText('No passkey was used');
  },
);

test('The button of a passkey is there too when its script came before the page', async ({ page }) => {
  await page.goto('/auth/signin');
  const [script] = await page
    .locator('script[src*="/passkey-"]')
    .evaluateAll((found) => (found as HTMLScriptElement[]).map(({ src }) => src));
  const early = await (await page.request.get(script!)).text();
  await page.addInitScript({ content: early });
  await page.reload();
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible();
});
