import { expect, type Page } from '@playwright/test';
import type { SandboxPanel } from './sandbox-panel.ts';

export interface Names {
  /** On Twitch and, with spaces, on Steam. */
  login: string;
  email: string;
  password: string;
}

/** A rule's conditions; omitted ones are not required. */
export interface RuleAsks {
  watchMinutes?: number;
  followDays?: number;
  tier?: 1 | 2 | 3;
  points?: number;
  random?: boolean;
}

/** The watch times on the progress page. */
const watchTimesIn = (text: string): string => (text.match(/\S+(?: \S+)? of \d+ min/g) ?? []).join();

/** A user of the product with an own browser. */
export class Person {
  readonly page: Page;
  readonly names: Names;
  readonly #panel: SandboxPanel;

  constructor(page: Page, panel: SandboxPanel, names: Names) {
    this.page = page;
    this.#panel = panel;
    this.names = names;
  }

  get steamName(): string {
    return this.names.login.replaceAll('_', ' ');
  }

  /** Signs up, and leaves the link in the mail for later. */
  async register(): Promise<void> {
    const { page } = this;
    await page.goto('/auth/signup');
    await page.getByLabel('Name').fill(this.steamName);
    await page.getByLabel('Email').fill(this.names.email);
    await page.getByLabel('Password').fill(this.names.password);
    await page.getByRole('checkbox', { name: /I accept/ }).check();
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page).toHaveURL(/\/email\/unverified/);
  }

  async signUp(): Promise<void> {
    const { page } = this;
    await this.register();
    await page.goto(await this.#panel.linkInMailTo(this.names.email));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  }

  async signIn(): Promise<void> {
    const { page } = this;
    await page.goto('/auth/signin');
    await page.getByLabel('Email').fill(this.names.email);
    await page.getByLabel('Password').fill(this.names.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/dashboard');
  }

  /** Chooses the language with its button; the account stores it. */
  async speak(language: 'en' | 'ru'): Promise<void> {
    await this.page.evaluate(
      (chosen) => fetch('/language', { method: 'POST', body: new URLSearchParams({ language: chosen }) }),
      language,
    );
  }

  /** A code that signs an app in. */
  async extensionCode(): Promise<string> {
    const { page } = this;
    await page.goto('/extension/code');
    await page.getByRole('button', { name: 'Show a code' }).click();
    const code = page.locator('code').first();
    await expect(code).toBeVisible();
    return (await code.innerText()).trim();
  }

  /** The address at Steam itself of the offer that is open; links lead to the sandbox's panel instead. */
  async offerAddress(): Promise<string> {
    const link = this.page.getByRole('link', { name: 'Open the offer' }).first();
    const [, offerId] = /tradeoffer\/(\d+)/.exec((await link.getAttribute('href')) ?? '') ?? [];
    return `https://steamcommunity.com/tradeoffer/${offerId}/`;
  }

  async connectTwitch(): Promise<void> {
    await this.page.goto('/profile');
    await this.page.getByRole('link', { name: 'Connect Twitch' }).click();
    await this.#approveOnTwitch();
  }

  async allowExtendedPermissions(): Promise<void> {
    await this.page.goto('/profile');
    await this.page.getByRole('link', { name: 'Allow on Twitch' }).click();
    await this.#approveOnTwitch();
  }

  async connectSteam(): Promise<void> {
    const { page } = this;
    await page.goto('/profile');
    await page.getByRole('link', { name: 'Connect Steam' }).click();
    await page.getByRole('button', { name: this.steamName }).click();
    await expect(page.getByRole('link', { name: 'Disconnect Steam' })).toBeVisible();
  }

  async setTradeLink(tradeUrl: string): Promise<void> {
    await this.page.goto('/profile');
    await this.page.getByLabel('Trade link').fill(tradeUrl);
    await this.page.getByRole('button', { name: 'Save trade link' }).click();
    await this.#isNotified('Steam trade link updated');
  }

  /** Selects a number of pieces of one kind and requests the offer. */
  async deposit(item: string, pieces: number): Promise<void> {
    const { page } = this;
    await page.goto('/items');
    const tile = page.getByRole('listitem').filter({ hasText: item });
    await tile.getByRole('checkbox').check();
    await tile.getByRole('spinbutton').fill(String(pieces));
    await page.getByRole('button', { name: 'Review deposit' }).click();
    await page.getByRole('button', { name: /^Deposit \d items?$/ }).click();
    await expect(page).toHaveURL(/\/transfers/);
  }

  async seesInCustody(item: string, words: RegExp): Promise<void> {
    await expect(async () => {
      await this.page.goto('/items/custody');
      await expect(this.page.getByRole('row').filter({ hasText: item })).toContainText(words, {
        timeout: 1000,
      });
    }).toPass();
  }

  /** Fills in the form of a new rule. */
  async fillRule(name: string, asks: RuleAsks): Promise<void> {
    const { page } = this;
    await page.goto('/rules/new');
    await page.getByLabel('Name').fill(name);
    const tick = (condition: string, asked: boolean) =>
      page.getByRole('checkbox', { name: condition }).setChecked(asked);
    await tick('Watch time', asks.watchMinutes !== undefined);
    if (asks.watchMinutes !== undefined) {
      await page.getByLabel('Amount of watch time').fill(String(asks.watchMinutes));
      await page.getByLabel('Unit of watch time').selectOption('minutes');
    }
    await tick('Follow time', asks.followDays !== undefined);
    if (asks.followDays !== undefined)
      await page.getByLabel('Days of following').fill(String(asks.followDays));
    await tick('Subscription to the channel', asks.tier !== undefined);
    if (asks.tier !== undefined) await page.getByLabel('Minimum tier').selectOption(String(asks.tier));
    await tick('Channel points', asks.points !== undefined);
    if (asks.points !== undefined) await page.getByLabel('Cost in channel points').fill(String(asks.points));
    await page.getByRole('radio', { name: asks.random ? 'Random reward' : 'One reward' }).check();
  }

  /** Fills in the form of a new rule, up to its review. */
  async writeRule(name: string, asks: RuleAsks): Promise<void> {
    await this.fillRule(name, asks);
    await this.page.getByRole('button', { name: 'Review rule' }).click();
  }

  /** Opens a rule with one piece of an item that is searched for and picked in its form. */
  async openRuleWithReward(name: string, asks: RuleAsks, item: string): Promise<void> {
    const { page } = this;
    await this.fillRule(name, asks);
    await page.getByRole('searchbox').fill(item);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue(name);
    await page.getByRole('spinbutton', { name: `Quantity of ${item}` }).fill('1');
    await page.getByRole('button', { name: 'Review rule' }).click();
    await page.getByRole('button', { name: 'Open rule with 1 reward' }).click();
    await page.getByRole('link', { name: 'Go to the rule' }).click();
    await expect(page.getByRole('heading', { name })).toBeVisible();
    await expect(page.getByRole('main')).toContainText(/Free\s*1/);
  }

  /** Opens a rule without rewards and adds one piece of each of these kinds, or of the first few kinds. */
  async openRule(name: string, asks: RuleAsks, items: readonly string[] | number): Promise<void> {
    const { page } = this;
    await this.writeRule(name, asks);
    await page.getByRole('button', { name: 'Open rule' }).click();
    await expect(page.getByRole('heading', { name })).toBeVisible();
    await page.getByRole('link', { name: 'Add rewards' }).first().click();
    const amounts =
      typeof items === 'number'
        ? Array.from({ length: items }, (_, place) =>
            page.getByRole('spinbutton', { name: 'Quantity of' }).nth(place),
          )
        : items.map((item) => page.getByRole('spinbutton', { name: `Quantity of ${item}` }));
    for (const amount of amounts) await amount.fill('1');
    await page.getByRole('button', { name: 'Add rewards' }).click();
    await this.#isNotified('Rewards added to rule');
  }

  /** With JavaScript the page updates itself; without, it is reloaded. */
  async seesOnProgress(words: RegExp): Promise<void> {
    await expect(async () => {
      await this.page.goto('/rewardProgress');
      await expect(this.page.getByRole('main')).toContainText(words, { timeout: 1500 });
    }).toPass();
  }

  /** Advances the world minute by minute, one chat reading at a time, until the progress page shows this. */
  async watches(panel: SandboxPanel, words: RegExp): Promise<void> {
    const read = async () => {
      await this.page.goto('/rewardProgress');
      return this.page.getByRole('main').innerText();
    };
    let said = await read();
    while (!words.test(said)) {
      const before = watchTimesIn(said);
      await panel.advance({ minutes: 1 });
      // The minute counts at the next reading, or not at all if the stream is not detected yet or the time is enough.
      const untilMs = Date.now() + 3000;
      do said = await read();
      while (!words.test(said) && watchTimesIn(said) === before && Date.now() < untilMs);
    }
  }

  async claim(): Promise<void> {
    const { page } = this;
    await page.goto('/rewardProgress');
    await page.getByRole('link', { name: 'Claim' }).first().click();
    await page.getByRole('button', { name: 'Claim this reward' }).click();
    await expect(page).toHaveURL(/rewardProgress/);
    await this.#isNotified('Reward claimed');
  }

  /** A toast; without JavaScript a message in the page. */
  async #isNotified(words: string): Promise<void> {
    const reported = this.page.locator('.flash').or(this.page.getByRole('region', { name: 'Notifications' }));
    await expect(reported.filter({ hasText: words })).toHaveCount(1);
  }

  async #approveOnTwitch(): Promise<void> {
    await this.page.getByLabel('Another login').fill(this.names.login);
    await this.page.getByRole('button', { name: 'Authorize' }).click();
    await expect(this.page.getByText(/Connected as/)).toBeVisible();
  }
}
