import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { findWholeBrowser } from '#tests/support/browser.ts';
import { findViolations, overflowOf } from './find-violations.ts';

const browser = findWholeBrowser();
test.skip(!browser, 'a Chromium without a window’s parts has no push');
if (browser) test.use({ launchOptions: browser });

async function signIn(page: Page, place: number): Promise<void> {
  const notes = JSON.parse(readFileSync(join(process.env.E2E_DATA ?? '', 'demo.json'), 'utf8'));
  const { email, password } = notes.people[place];
  await page.goto('/auth/signin');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/dashboard');
}

test('Keepsake can be installed, shows a push, and offline a page without the account', async ({
  page,
  context,
}) => {
  const origin = new URL(test.info().project.use.baseURL ?? '').origin;
  await context.grantPermissions(['notifications'], { origin });
  const cdp = await context.newCDPSession(page);
  let registrationId = '';
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.at(-1)?.registrationId ?? registrationId;
  });
  await cdp.send('ServiceWorker.enable');
  await signIn(page, 8);
  // Nothing is registered before the settings are visited.
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  await page.goto('/settings');
  await expect(page.getByRole('button', { name: 'Turn on for this device' })).toBeVisible();
  const state = () => page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state);
  await expect.poll(state).toBe('activated');

  const manifest = await cdp.send('Page.getAppManifest');
  expect(manifest.errors).toEqual([]);
  expect(JSON.parse(manifest.data ?? '{}')).toMatchObject({ display: 'standalone', start_url: '/dashboard' });
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
  // A browser without a profile installs nothing.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);

  const notification = {
    title: 'A reward is yours to claim',
    body: 'Claim it until Wed, 7 January 2026 at 12:00 UTC.',
    lang: 'en',
    navigate: `${origin}/rewardProgress`,
    tag: 'reward',
  };
  await expect.poll(() => registrationId).not.toBe('');
  for (const body of ['an earlier one', notification.body]) {
    const data = JSON.stringify({ web_push: 8030, notification: { ...notification, body } });
    await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  }
  const shown = () =>
    page.evaluate(async () =>
      (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, body, tag, data }) => ({
        title,
        body,
        tag,
        data,
      })),
    );
  const { title, body, tag, navigate } = notification;
  // The later one takes the place of the earlier.
  await expect.poll(shown).toEqual([{ title, body, tag, data: { navigate } }]);

  await context.setOffline(true);
  await page.goto('/rewardProgress').catch(() => null);
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
  expect(await page.locator('body').innerText()).not.toContain('Demo');
  await context.setOffline(false);
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('You are offline');
});

test('At 360 pixels the notices and the drawings for an iPhone fit, and have no barriers', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(page, 8);
  await page.goto('/settings');
  await page.getByText('How to install on an iPhone').click();
  await expect(page.getByText('Add to Home Screen').first()).toBeVisible();
  expect(await overflowOf(page)).toBe(0);
  expect(await findViolations(page)).toEqual([]);
});
