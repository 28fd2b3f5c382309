// The extension's own package in Chromium: turned on by a press, its permission taken away, an instance that is away, a
// revoked access, both languages, and whom the browser talks to meanwhile. Takes about ten seconds; is left out where the
// only Chromium is one that runs no extensions. Nobody can press the browser's own question for a permission there: the
// site is allowed beforehand as on the browser's page of extensions, and Chromium does not ask for what is allowed.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, expect as expectIn, type Page, type Worker } from '@playwright/test';
import { expect, onTestFinished, test } from 'vitest';
import { findWholeBrowser } from '#tests/support/browser.ts';
import { setCompanionStage } from '#tests/support/companion-stage.ts';
import { openWithExtension, writeGranted } from '#tests/support/extension-browser.ts';
import { requestsIn } from '#tests/support/net-log.ts';
import { writeExtension } from '../../tools/build-extension.ts';
import { findViolations } from '../e2e/find-violations.ts';

const browser = findWholeBrowser();
if (!browser) console.log('no Chromium here that runs extensions: the extension is not tested in it');

type Stage = Awaited<ReturnType<typeof setCompanionStage>>;
const steam = 'https://steamcommunity.com';

interface Opened {
  context: BrowserContext;
  worker: Worker;
  /** Opens a page of the extension's own. */
  openPanel: () => Promise<Page>;
}

/** Opens a browser with the extension's own package, or in Russian with one that has what is optional already. */
async function open(stage: Stage, language: 'en-US' | 'ru', args: string[] = []): Promise<Opened> {
  if (!browser) throw new Error('no browser');
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-companion-'));
  writeExtension(folder, 'chromium');
  const opened = {
    profile: join(folder, 'profile'),
    unpacked: language === 'ru' ? writeGranted(folder) : join(folder, 'chromium'),
    proxy: stage.steamProxy,
    language,
    args,
  };
  const { context, worker } = await openWithExtension(browser, opened);
  onTestFinished(() => context.close());
  await context.addCookies([stage.cookie]);
  const openPanel = async () => {
    const page = await context.newPage();
    await page.goto(new URL('/panel.html', worker.url()).href);
    return page;
  };
  return { context, worker, openPanel };
}

/** Allows Steam's pages, or takes that back, by what the browser's own page of extensions calls. */
async function setAllowed({ context, worker }: Opened, isAllowed: boolean): Promise<void> {
  const page = await context.newPage();
  const { host } = new URL(worker.url());
  await page.goto(`chrome://extensions/?id=${host}`);
  const call = isAllowed ? 'addHostPermission' : 'removeHostPermission';
  await page.evaluate(`chrome.developerPrivate.${call}('${host}', '${steam}/*')`);
  await page.close();
}

async function signIn(page: Page, stage: Stage, labels: { site: string; code: string; signIn: string }) {
  await page.getByLabel(labels.site).fill(stage.instance);
  await page.getByLabel(labels.code, { exact: true }).fill(await stage.code());
  await page.getByRole('button', { name: labels.signIn }).click();
}

const english = { site: 'Address of your Keepsake site', code: 'Code', signIn: 'Sign in' };
const russian = { site: 'Адрес вашего сайта Keepsake', code: 'Код', signIn: 'Войти' };
const cardOn = (page: Page) => page.locator('keepsake-verdict');

test.skipIf(!browser)(
  'A lost permission, a site that is away and a revoked access are shown, and only the site is asked',
  async () => {
    const stage = await setCompanionStage();
    onTestFinished(() => stage.stop());
    const log = join(mkdtempSync(join(tmpdir(), 'keepsake-log-')), 'net.json');
    const opened = await open(stage, 'en-US', [`--log-net-log=${log}`]);
    const { context, worker, openPanel } = opened;
    expect(await worker.evaluate('chrome.runtime.getManifest().host_permissions')).toBeUndefined();
    await setAllowed(opened, true);

    const panel = await openPanel();
    await signIn(panel, stage, english);
    await expectIn(panel.getByText('Signed in to')).toBeVisible();
    const turnOn = panel.getByRole('button', { name: 'Turn on: Check trade offers' });
    const turnOff = panel.getByRole('button', { name: 'Turn off: Check trade offers' });
    await turnOn.click();
    await expectIn(turnOff).toBeVisible();

    const offer = await context.newPage();
    await offer.goto(stage.offerAddress);
    await expectIn(cardOn(offer)).toContainText('This is your reward');
    expect(await findViolations(offer, 'keepsake-verdict')).toEqual([]);

    stage.setAway(true);
    await offer.reload();
    await expectIn(cardOn(offer)).toContainText('Cannot check: do not accept it yet');
    await expectIn(cardOn(offer)).toContainText('The site did not answer.');
    expect(await findViolations(offer, 'keepsake-verdict')).toEqual([]);
    stage.setAway(false);
    await cardOn(offer).getByRole('button', { name: 'Check again' }).click();
    await expectIn(cardOn(offer)).toContainText('This is your reward');

    await setAllowed(opened, false);
    await expectIn.poll(() => worker.evaluate('chrome.action.getBadgeText({})')).toBe('!');
    await panel.reload();
    await expectIn(panel.getByText('The browser no longer allows this.')).toBeVisible();
    expect(await findViolations(panel)).toEqual([]);
    await offer.reload();
    await expectIn(offer.locator('.trade_area')).toBeVisible();
    expect(await worker.evaluate('chrome.scripting.getRegisteredContentScripts()')).toEqual([]);
    await expectIn(cardOn(offer)).toHaveCount(0);
    await setAllowed(opened, true);
    await panel.reload();
    await expectIn(turnOff).toBeVisible();
    await expectIn.poll(() => worker.evaluate('chrome.action.getBadgeText({})')).not.toBe('!');

    await stage.revoke();
    await offer.reload();
    await expectIn(cardOn(offer)).toContainText('Its access was revoked.');
    await panel.reload();
    await expectIn(panel.getByText('Its access was revoked.')).toBeVisible();
    await expectIn(panel.getByLabel('Code', { exact: true })).toBeVisible();
    expect(await findViolations(panel)).toEqual([]);

    await context.close();
    const asked = requestsIn(log);
    const own = asked.filter(({ initiator }) => initiator.startsWith('chrome-extension:'));
    const web = own.filter(({ url }) => !url.startsWith('chrome-extension:'));
    expect(web.length).toBeGreaterThan(5);
    expect(web.filter(({ url }) => !url.startsWith(`${stage.instance}/api/v1/`))).toEqual([]);
    // Nor does it make Steam's page ask anybody.
    const onSteam = asked.filter(({ initiator }) => initiator === steam);
    expect(onSteam.filter(({ url }) => !url.startsWith(`${steam}/`))).toEqual([]);
  },
);

test.skipIf(!browser)(
  'In a Russian browser the extension speaks Russian, on Steam’s Russian page too',
  async () => {
    const stage = await setCompanionStage();
    onTestFinished(() => stage.stop());
    const { context, openPanel } = await open(stage, 'ru');
    const panel = await openPanel();
    expect(await findViolations(panel)).toEqual([]);
    await signIn(panel, stage, russian);
    await panel.getByRole('button', { name: 'Включить: Проверять предложения' }).click();
    await expectIn(panel.getByRole('button', { name: 'Выключить: Проверять предложения' })).toBeVisible();
    expect(await findViolations(panel)).toEqual([]);
    const offer = await context.newPage();
    await offer.goto(`${stage.offerAddress}?l=russian`);
    await expectIn(cardOn(offer)).toContainText('Это ваша награда');
    await offer.getByText('Изменить предложение').click();
    await expectIn(cardOn(offer)).toContainText('Это уже не то предложение');
    expect(await findViolations(offer, 'keepsake-verdict')).toEqual([]);
  },
);
