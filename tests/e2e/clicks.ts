import { expect, type Locator, type Page } from '@playwright/test';

/**
 * Counts a person's actions. One each: a click on a link, button, checkbox or tile; a choice in a list; a
 * form sent by Enter; a field that is typed into, unless the page has put the cursor there. All pages count
 * alike: the product's, Twitch's, Steam's and the mailbox. Not counted: opening the first page of a visit;
 * typing itself; and telling the sandbox's Twitch and Steam who one is, which the real ones know by their own
 * sign-in.
 */
export class ClickCounter {
  readonly made: string[] = [];

  get count(): number {
    return this.made.length;
  }

  async click(target: Locator, what?: string): Promise<void> {
    const name = what ?? (await target.first().innerText()).trim().replace(/\s+/g, ' ');
    await target.click();
    this.made.push(`click: ${name}`);
  }

  /** Clicks a control that opens a window of its own, and returns that. */
  async follow(page: Page, target: Locator): Promise<Page> {
    // A bot sends an offer at its own pace, and people read meanwhile.
    await expect(target).toBeVisible({ timeout: 150_000 });
    const opened = page.waitForEvent('popup');
    await this.click(target);
    return opened;
  }

  /** Types over the text in a field that the page puts the cursor into. */
  async type(field: Locator, text: string): Promise<void> {
    // A busy browser does so some time after the field can be seen.
    await expect(field).toBeFocused();
    await field.fill(text);
  }

  /** Types over the text in a field that has to be clicked first. */
  async clickAndType(field: Locator, text: string): Promise<void> {
    await this.click(field, 'a field');
    await field.fill(text);
  }

  /** Sends the form of the field that was typed into last. */
  async enter(page: Page): Promise<void> {
    await page.keyboard.press('Enter');
    this.made.push('Enter');
  }
}
