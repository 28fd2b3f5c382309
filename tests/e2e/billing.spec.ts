import { expect, type Page, test } from '@playwright/test';
import { demoPerson } from './demo-people.ts';
import { Person } from './person.ts';
import { SandboxPanel } from './sandbox-panel.ts';

/** A month, and the hour after which Stripe charges its invoice. */
const MONTH = { days: 31, minutes: 90 };
const RULES = 6;

/** Somebody on the billing page and on the pages that Stripe hosts. */
class Payer {
  readonly #person: Person;
  readonly #page: Page;
  constructor(person: Person) {
    this.#person = person;
    this.#page = person.page;
  }

  /** Signs in again when a leap of the clock has ended the session. */
  async open(): Promise<void> {
    await this.#page.goto('/billing');
    if (new URL(this.#page.url()).pathname !== '/billing') {
      await this.#person.signIn();
      await this.#page.goto('/billing');
    }
    await expect(this.#page.getByRole('heading', { level: 1, name: 'Billing' })).toBeVisible();
  }

  /** Payments and webhooks take a moment: reloads until the page says so. */
  async sees(...words: (string | RegExp)[]): Promise<void> {
    await expect(async () => {
      await this.open();
      for (const each of words)
        await expect(this.#page.getByRole('main')).toContainText(each, { timeout: 1000 });
    }).toPass();
  }

  /** Returns whether the page says so within a few seconds. */
  async saw(words: string): Promise<boolean> {
    const untilMs = Date.now() + 4000;
    do {
      await this.open();
      if ((await this.#page.getByRole('main').innerText()).includes(words)) return true;
    } while (Date.now() < untilMs);
    return false;
  }

  async seesNoMore(words: string): Promise<void> {
    await expect(async () => {
      await this.open();
      await expect(this.#page.getByRole('main')).not.toContainText(words, { timeout: 1000 });
    }).toPass();
  }

  /** Chooses a plan of the table, pays on Stripe's page, and comes back. */
  async buy(audience: 'streamers' | 'viewers', period: 'Monthly' | 'Yearly', act: string): Promise<void> {
    const plans = this.#page.locator('section.pricing').filter({ hasText: `Plans for ${audience}` });
    await plans.getByText(period, { exact: false }).first().click();
    await plans.getByRole('button', { name: act }).filter({ visible: true }).click();
    await expect(this.#page.getByRole('heading', { name: 'Start your trial' })).toBeVisible();
    await this.#page.getByRole('button', { name: 'Start trial' }).click();
    await this.isNotified('Your plan is active');
  }

  /** Opens the confirmation of another plan of streamer premium. */
  async choose(act: string): Promise<void> {
    await this.open();
    const plans = this.#page.locator('section.pricing').filter({ hasText: 'Plans for streamers' });
    await plans.getByRole('link', { name: act }).filter({ visible: true }).click();
    await expect(this.#page.getByText('New plan')).toBeVisible();
  }

  async press(name: string | RegExp): Promise<void> {
    await this.#page.getByRole('button', { name }).first().click();
  }

  async says(words: string | RegExp): Promise<void> {
    await expect(this.#page.getByText(words).first()).toBeVisible();
  }

  /** The portal's page at Stripe. */
  async openPortal(): Promise<void> {
    await this.open();
    await this.press('Card and invoices');
    await expect(this.#page.getByRole('heading', { name: 'Your subscriptions' })).toBeVisible();
  }

  /** A toast; without JavaScript a message in the page. */
  async isNotified(words: string): Promise<void> {
    const reported = this.#page
      .locator('.flash')
      .or(this.#page.getByRole('region', { name: 'Notifications' }));
    await expect(reported.filter({ hasText: words })).toHaveCount(1);
  }
}

/** At last day by day: months differ in length, and a later attempt at the payment comes three days after the first. */
async function untilPaymentFails(panel: SandboxPanel, payer: Payer, firstDays: number): Promise<void> {
  await panel.advance({ days: firstDays, minutes: 90 });
  for (let day = 0; day < 8 && !(await payer.saw('Your last payment failed')); day++)
    await panel.advance({ days: 1 });
  await payer.sees('Your last payment failed');
}

/** Opens rules on the streamer's own channel. */
async function openRules(page: Page): Promise<void> {
  const api = page.context().request;
  await api.get('/sanctum/csrf-cookie');
  const token = (await page.context().cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value ?? '';
  for (let place = 1; place <= RULES; place++) {
    const answer = await api.post('/api/v1/rules', {
      headers: { 'X-XSRF-TOKEN': decodeURIComponent(token) },
      data: { name: `Evening number ${place}`, watch_minutes: 60 },
    });
    expect(answer.status(), await answer.text()).toBe(201);
  }
}

/** Names of the rules that pause. */
async function pausedRules(page: Page): Promise<string[]> {
  const listed = await page.context().request.get('/api/v1/rules?page[size]=50');
  const { data } = (await listed.json()) as { data: { attributes: { name: string; state: string } }[] };
  return data.flatMap(({ attributes }) => (attributes.state === 'paused' ? attributes.name : []));
}

test('A streamer pays for a year of months: trial, renewals, other plans, and an end', async ({
  browser,
}) => {
  const [forPanel, page] = [await browser.newPage(), await browser.newPage()];
  const panel = new SandboxPanel(forPanel);
  const names = {
    login: 'E2e_payer',
    email: 'e2e-payer@example.org',
    password: 'a sentence that is long enough',
  };
  const streamer = new Person(page, panel, names);
  const payer = new Payer(streamer);

  await test.step('a streamer signs up and connects a channel', async () => {
    await panel.addTwitchUser(names.login, 'affiliate');
    await panel.addSteamUser(streamer.steamName);
    await streamer.signUp();
    await streamer.connectTwitch();
    await streamer.allowExtendedPermissions();
    await streamer.connectSteam();
  });
  await test.step('both products begin with a trial, one by the month and one by the year', async () => {
    await payer.open();
    await payer.buy('streamers', 'Monthly', 'Try Expert free');
    await payer.buy('viewers', 'Yearly', 'Try Pro free');
    await payer.sees(
      'Streamer premium, Expert',
      'Viewer premium, Pro',
      /Next charge\s*\$14\.99/,
      '$67.10 a year',
    );
    await payer.choose('Upgrade to Pro');
    await payer.says(/Nothing is charged today: your trial goes on until/);
    await openRules(page);
  });
  await test.step('the trials end, and both are paid', async () => {
    await panel.advance({ days: 7, minutes: 90 });
    await payer.seesNoMore('Trial');
    await payer.sees('Active');
  });
  await test.step('a renewal fails, the plan stays in grace, and a later attempt recovers it', async () => {
    await panel.orderPayments(names.email, 'fails');
    await untilPaymentFails(panel, payer, 30);
    await payer.sees('Grace period until', 'Streamer premium, Expert');
    await panel.advance({ days: 4 });
    await payer.seesNoMore('Your last payment failed');
    await payer.sees('Streamer premium, Expert');
  });
  await test.step('a smaller plan begins on the next billing date, and the newest rule over its limit pauses', async () => {
    await payer.choose('Switch to Basic');
    await payer.press('Change plan');
    await payer.isNotified('Plan change scheduled');
    await payer.sees(/Basic from/, /Next charge\s*\$4\.99/);
    expect(await pausedRules(page)).toEqual([]);
    await panel.advance(MONTH);
    await payer.sees('Streamer premium, Basic', '1 rule is paused because it is over your limit');
    expect(await pausedRules(page)).toEqual([`Evening number ${RULES}`]);
  });
  await test.step('a larger plan waits for 3-D Secure; then the rule goes on', async () => {
    await panel.orderPayments(names.email, 'asks for 3-D Secure');
    await payer.choose('Upgrade to Pro');
    await payer.press(/^Pay \$/);
    await page.getByRole('link', { name: 'Confirm payment' }).click();
    await payer.press('Complete authentication');
    await expect(page.getByText(/^paid/)).toBeVisible();
    await payer.sees('Streamer premium, Pro');
    await payer.seesNoMore('over your limit');
    expect(await pausedRules(page)).toEqual([]);
  });
  await test.step('a cancellation is taken back, here and in the portal', async () => {
    await payer.open();
    await page.getByRole('link', { name: 'Cancel subscription' }).first().click();
    await payer.says(/You keep it until/);
    await payer.press('Cancel subscription');
    await payer.isNotified('Subscription cancelled successfully');
    await payer.press('Keep my plan');
    await payer.isNotified('You keep your plan');
    await payer.openPortal();
    await payer.press('Cancel subscription');
    await payer.says(/Cancels on/);
    await payer.sees('Cancelled', /premium ends on/);
    await payer.openPortal();
    await payer.press('Don’t cancel subscription');
    await expect(page.getByText(/Cancels on/)).toHaveCount(0);
    await payer.seesNoMore('Cancelled');
  });
  await test.step('renewals that stay unpaid end the plan', async () => {
    await panel.orderPayments(names.email, 'fails', 100);
    await untilPaymentFails(panel, payer, 26);
    await panel.advance({ days: 16 });
    await payer.sees('Streamer premium, Free', 'Viewer premium, Pro', '5 rules are paused');
  });
  for (const each of [forPanel, page]) await each.context().close();
});

test('Without JavaScript a viewer pays on Stripe’s page and comes back with a plan', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const viewer = new Person(page, new SandboxPanel(page), demoPerson(3));
  await viewer.signIn();
  const payer = new Payer(viewer);
  await payer.open();
  await payer.buy('viewers', 'Yearly', 'Try Basic free');
  await payer.sees('Viewer premium, Basic', '$19.10 a year', 'Trial until');
  await context.close();
});
