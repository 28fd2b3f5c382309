import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import type { WorldState } from '#sandbox/steam/state.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { findWholeBrowser } from '#tests/support/browser.ts';
import { openWithExtension, writeGranted } from '#tests/support/extension-browser.ts';
import { findViolations } from './find-violations.ts';

const sandbox = join(process.env.E2E_DATA ?? '', 'sandbox');
const readJson = (file: string) => JSON.parse(readFileSync(join(sandbox, file), 'utf8'));

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
    const browser = findWholeBrowser();
    if (!browser) return null;
    const folder = mkdtempSync(join(tmpdir(), 'keepsake-companion-'));
    const { environment = readJson('product.env.json') } = readJson('product.env.json');
    const { context, worker } = await openWithExtension(browser, {
      profile: join(folder, 'profile'),
      unpacked: writeGranted(folder),
      proxy: environment.STEAM_HTTP_PROXY,
    });
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
