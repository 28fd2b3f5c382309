import { expect, type Locator, type Page } from '@playwright/test';
import { withClock } from './taking-turns.ts';

const panelUrl = `http://localhost:${Number(process.env.E2E_FIRST_PORT) + 2}`;

/** The sandbox's control panel, used only through its pages and forms. */
export class SandboxPanel {
  readonly #page: Page;
  constructor(page: Page) {
    this.#page = page;
  }

  async addTwitchUser(name: string, channel: 'viewer' | 'affiliate'): Promise<void> {
    await this.#page.goto(`${panelUrl}/twitch/people`);
    const form = this.#page.locator('form', { has: this.#page.getByRole('button', { name: 'Add' }) });
    await form.getByLabel('Name').fill(name);
    await form.getByLabel('Channel').selectOption({ label: channel });
    await form.getByRole('button', { name: 'Add' }).click();
    await expect(this.#page.getByText(name).first()).toBeVisible();
  }

  /** Returns the trade URL of the new person. */
  async addSteamUser(name: string): Promise<string> {
    await this.#page.goto(`${panelUrl}/steam`);
    await this.#page.getByLabel('Name').last().fill(name);
    await this.#page.getByRole('button', { name: 'Add', exact: true }).click();
    await this.#openSteam(name);
    return this.#page.getByLabel('Trade URL for the product').inputValue();
  }

  async giveItem(steamName: string, item: string, times: number): Promise<void> {
    await this.#openSteam(steamName);
    for (let given = 0; given < times; given++) {
      await this.#page.getByLabel('Item from the catalogue').selectOption({ label: item });
      await this.#page.getByRole('button', { name: /^Give to/ }).click();
    }
  }

  /** The names and asset ids of a Steam user's items. */
  async inventoryOf(steamName: string): Promise<{ name: string; assetId: string }[]> {
    await this.#openSteam(steamName);
    const url = new URL(this.#page.url());
    await this.#page.goto(`${panelUrl}${url.pathname}/inventory.json`);
    const shown = JSON.parse((await this.#page.locator('body').innerText()).trim()) as {
      items: { name: string; key: string }[];
    };
    return shown.items.map(({ name, key }) => ({ name, assetId: key.split('/').at(-1) ?? '' }));
  }

  /** Accepts a person's newest received offer as soon as it arrives. */
  async acceptOffer(steamName: string): Promise<void> {
    await expect(async () => {
      await this.#openSteam(steamName);
      await expect(this.#page.getByRole('button', { name: 'Accept' }).first()).toBeVisible({ timeout: 1000 });
    }).toPass();
    await this.#page.getByRole('button', { name: 'Accept' }).first().click();
  }

  /** The first link in the newest mail to an address, as soon as it arrives, or the first one to a page. */
  async linkInMailTo(address: string, page = ''): Promise<string> {
    let link: string | null = null;
    await expect(async () => {
      await this.#page.goto(`${panelUrl}/mail`);
      const mails = this.#page.getByRole('listitem').filter({ hasText: address });
      await mails.first().getByRole('link').click({ timeout: 1000 });
      const section = this.#page.locator('section', {
        has: this.#page.getByRole('heading', { name: 'Links' }),
      });
      link = await section.getByRole('link', { name: page }).first().getAttribute('href', { timeout: 1000 });
    }).toPass();
    return link ?? '';
  }

  async goLive(channel: string): Promise<void> {
    await this.#openChannel(channel);
    await this.#page.getByRole('button', { name: 'Go live' }).click();
  }

  async goOffline(channel: string): Promise<void> {
    await this.#openChannel(channel);
    await this.#page.getByRole('button', { name: 'Go offline' }).click();
  }

  async joinChat(channel: string, viewer: string): Promise<void> {
    await this.#openChannel(channel);
    await this.#rowOf(viewer).getByRole('button', { name: 'Join chat' }).click();
  }

  /** Writes a line into a chat as somebody of the world. */
  async say(channel: string, who: string, text: string): Promise<void> {
    await this.#openChannel(channel);
    const form = this.#page.locator('form', {
      has: this.#page.getByRole('button', { name: 'Say', exact: true }),
    });
    await form.getByLabel('Speak as').selectOption({ label: who });
    await form.getByLabel('Text').fill(text);
    await form.getByRole('button', { name: 'Say', exact: true }).click();
  }

  async follow(channel: string, viewer: string, days: number): Promise<void> {
    await this.#openChannel(channel);
    await this.#rowOf(viewer).getByLabel(`Days that ${viewer} has followed`).fill(String(days));
    await this.#rowOf(viewer).getByRole('button', { name: 'Follow for days' }).click();
  }

  async subscribe(
    channel: string,
    viewer: string,
    how: { tier: 1 | 2 | 3; isGift?: boolean },
  ): Promise<void> {
    await this.#openChannel(channel);
    const row = this.#rowOf(viewer);
    await row.getByLabel(`Tier for ${viewer}`).selectOption({ label: `Tier ${how.tier}` });
    if (how.isGift) await row.getByLabel('as a gift').check();
    await row.getByRole('button', { name: 'Subscribe', exact: true }).click();
  }

  async unsubscribe(channel: string, viewer: string): Promise<void> {
    await this.#openChannel(channel);
    await this.#rowOf(viewer).getByRole('button', { name: 'Unsubscribe' }).click();
  }

  /** Spends points on a custom reward as soon as it is enabled. */
  async redeem(channel: string, viewer: string, reward: string): Promise<void> {
    const shown = this.#page
      .getByRole('listitem')
      .filter({ has: this.#page.getByText(reward, { exact: true }) });
    await expect(async () => {
      await this.#openChannel(channel);
      await expect(shown.first()).toContainText(/\bopen\b/, { timeout: 1000 });
    }).toPass();
    const form = this.#page.locator('form', { has: this.#page.getByRole('button', { name: 'Redeem' }) });
    await form.getByLabel('Viewer').selectOption({ label: viewer });
    const option = form.getByLabel('Reward').getByRole('option', { name: reward });
    await form.getByLabel('Reward').selectOption((await option.getAttribute('value')) ?? '');
    await form.getByRole('button', { name: 'Redeem' }).click();
    await expect(this.#page.getByText(`${viewer} redeemed "${reward}".`)).toBeVisible();
  }

  /** Decides how the next payments of a customer end, at Stripe. */
  async orderPayments(email: string, outcome: 'fails' | 'asks for 3-D Secure', times = 1): Promise<void> {
    await this.#page.goto(`${panelUrl}/stripe`);
    const customer = this.#page.locator('section').filter({ hasText: email });
    await customer.getByLabel('Times').fill(String(times));
    await customer.getByRole('button', { name: `Next payment ${outcome}` }).click();
    await expect(this.#page.getByText(/payments? will /).first()).toBeVisible();
  }

  advance(amount: { days?: number; minutes?: number }): Promise<void> {
    return withClock(async () => {
      await this.#page.goto(`${panelUrl}/clock`);
      await this.#page.getByLabel('Days').fill(String(amount.days ?? 0));
      await this.#page.getByLabel('Hours').fill('0');
      await this.#page.getByLabel('Minutes').fill(String(amount.minutes ?? 0));
      await this.#page.getByRole('button', { name: 'Advance', exact: true }).click();
    });
  }

  async #openSteam(name: string): Promise<void> {
    await this.#page.goto(`${panelUrl}/steam`);
    await this.#page.getByRole('main').getByRole('link', { name, exact: true }).first().click();
  }

  /** A viewer's row on a channel's page. */
  #rowOf(viewer: string): Locator {
    return this.#page.getByRole('listitem').filter({ has: this.#page.getByText(viewer, { exact: true }) });
  }

  async #openChannel(name: string): Promise<void> {
    await this.#page.goto(`${panelUrl}/twitch`);
    const tab = new RegExp(`^${name}( \\(live\\))?$`);
    await this.#page.getByRole('main').getByRole('link', { name: tab }).first().click();
  }
}
