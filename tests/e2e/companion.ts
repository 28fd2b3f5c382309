import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, expect, type Locator, type Page } from '@playwright/test';
import type { WorldState } from '#sandbox/steam/state.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { findBrowser } from '#tests/support/browser.ts';
import { writeExtension } from '../../tools/build-extension.ts';
import { findViolations } from './find-violations.ts';

const sandbox = join(process.env.E2E_DATA ?? '', 'sandbox');
const readJson = (file: string) => JSON.parse(readFileSync(join(sandbox, file), 'utf8'));

/**
 * Writes the extension with what is optional already granted: a browser without a window asks nobody, and never answers.
 */
function writeGranted(folder: string): string {
  writeExtension(folder, 'chromium');
  const unpacked = join(folder, 'chromium');
  const file = join(unpacked, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const permissions = [...manifest.permissions, ...manifest.optional_permissions];
  const host_permissions = manifest.optional_host_permissions;
  writeFileSync(file, JSON.stringify({ ...manifest, permissions, host_permissions }));
  return unpacked;
}

/** A browser with the extension, whose Steam is the sandbox’s. */
export class Companion {
  readonly #context: BrowserContext;
  readonly #folder: string;
  readonly #id: string;

  private constructor(context: BrowserContext, folder: string, id: string) {
    this.#context = context;
    this.#folder = folder;
    this.#id = id;
  }

  /** Null where the only browser is one that runs no extensions. */
  static async open(): Promise<Companion | null> {
    const { executablePath, args } = await findBrowser();
    if (args.includes('--headless=shell') || executablePath.endsWith('headless-shell')) return null;
    const folder = mkdtempSync(join(tmpdir(), 'keepsake-companion-'));
    const unpacked = writeGranted(folder);
    const { environment = readJson('product.env.json') } = readJson('product.env.json');
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath,
      proxy: { server: environment.STEAM_HTTP_PROXY, bypass: 'localhost,127.0.0.1' },
      ignoreHTTPSErrors: true,
      locale: 'en-US',
      args: [
        ...args,
        '--lang=en-US',
        `--disable-extensions-except=${unpacked}`,
        `--load-extension=${unpacked}`,
      ],
    });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    return new Companion(context, folder, new URL(worker.url()).host);
  }

  async close(): Promise<void> {
    await this.#context.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #panel(): Promise<Page> {
    const page = await this.#context.newPage();
    await page.goto(`chrome-extension://${this.#id}/panel.html`);
    return page;
  }

  /** Signs in by a code, and turns the checks on Steam’s pages on. */
  async signIn(instance: string, code: string): Promise<void> {
    const page = await this.#panel();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Address of your Keepsake site').fill(instance);
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('Signed in to')).toBeVisible();
    await page.getByRole('button', { name: 'Turn on: Check trade offers' }).click();
    await expect(page.getByRole('button', { name: 'Turn off: Check trade offers' })).toBeVisible();
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  }

  async signOut(): Promise<void> {
    const page = await this.#panel();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    await page.close();
  }

  /** Opens a page of Steam’s as the person with this trade link. */
  async openSteam(tradeUrl: string, address: string): Promise<Page> {
    const state = readJson('steam.json') as WorldState;
    const accountId = Number(new URL(tradeUrl).searchParams.get('partner'));
    const person = state.people.find((each) => each.accountId === accountId);
    if (!person) throw new Error('nobody on Steam has this trade link');
    const value = `${person.steamId}%7C%7C${issueToken(state, person, 'access')}`;
    const cookie = { domain: 'steamcommunity.com', path: '/', secure: true };
    await this.#context.addCookies([{ name: 'steamLoginSecure', value, ...cookie }]);
    const page = await this.#context.newPage();
    await page.goto(address);
    return page;
  }
}

/** The verdict on a page of Steam’s. */
export const verdictOn = (page: Page): Locator => page.locator('keepsake-verdict');
