import { expect, type Page, test } from '@playwright/test';
import { ClickCounter } from './clicks.ts';
import { demoPerson, openManyRules } from './demo-people.ts';
import { Person } from './person.ts';
import { SandboxPanel } from './sandbox-panel.ts';
import { asDemoStreamer } from './taking-turns.ts';

const ITEM = 'P250 | Facility Draft';
const RULE = 'Counted evening';
const [STREAMER, VIEWER] = ['E2e_counted_streamer', 'E2e_counted_viewer'];
const steamNameOf = (login: string) => login.replaceAll('_', ' ');

/** Signs up with Twitch from the landing page, which is open; who one is on Twitch is not counted. */
async function signUpByTwitch(page: Page, clicks: ClickCounter, login: string): Promise<void> {
  await clicks.click(page.getByRole('link', { name: 'Continue with Twitch' }));
  await page.getByLabel('Another login').fill(login);
  await clicks.click(page.getByRole('button', { name: 'Authorize' }));
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
}

/** Connects Steam from the checklist, and enters the trade link there. */
async function connectSteam(
  page: Page,
  clicks: ClickCounter,
  login: string,
  tradeUrl: string,
): Promise<void> {
  await clicks.click(page.getByRole('link', { name: 'Connect Steam' }));
  await clicks.click(page.getByRole('button', { name: steamNameOf(login) }));
  await clicks.type(page.getByLabel('Trade link'), tradeUrl);
  await clicks.enter(page);
}

test('What newcomers need stays within few clicks', async ({ browser }) => {
  const contexts = await Promise.all([1, 2, 3, 4].map(() => browser.newContext()));
  const [forPanel, page, viewerPage, demoPage] = await Promise.all(
    contexts.map((context) => context.newPage()),
  );
  if (!forPanel || !page || !viewerPage || !demoPage) throw new Error('no pages');
  const panel = new SandboxPanel(forPanel);
  await panel.addTwitchUser(STREAMER, 'affiliate');
  await panel.addTwitchUser(VIEWER, 'viewer');
  const tradeUrls = {
    streamer: await panel.addSteamUser(steamNameOf(STREAMER)),
    viewer: await panel.addSteamUser(steamNameOf(VIEWER)),
  };
  await panel.giveItem(steamNameOf(STREAMER), `${ITEM} (Field-Tested) (Counter-Strike 2)`, 1);

  await test.step('a new streamer opens a first rule with rewards within 14', async () => {
    const clicks = new ClickCounter();
    await page.goto('/');
    await clicks.click(page.getByRole('link', { name: 'Set up your channel' }).first());
    await signUpByTwitch(page, clicks, STREAMER);
    await connectSteam(page, clicks, STREAMER, tradeUrls.streamer);
    await clicks.click(page.getByRole('checkbox', { name: ITEM }), `the tile of ${ITEM}`);
    await clicks.click(page.getByRole('button', { name: 'Review deposit' }));
    await clicks.click(page.getByRole('button', { name: 'Deposit 1 item' }));
    const steam = await clicks.follow(page, page.getByRole('link', { name: 'Open the offer' }));
    await clicks.click(steam.getByRole('button', { name: 'Accept' }).first());
    await new Person(page, panel, { login: STREAMER, email: '', password: '' }).seesInCustody(
      ITEM,
      /in cooldown until/,
    );
    await panel.advance({ days: 8 });
    await page.goto('/dashboard');
    await clicks.click(page.getByRole('link', { name: 'Create a rule' }));
    await clicks.type(page.getByLabel('Name'), RULE);
    await clicks.click(page.getByRole('button', { name: 'Review rule' }));
    await clicks.click(page.getByRole('button', { name: 'Open rule with 1 reward' }));
    await expect(page.getByRole('heading', { name: 'Your rule is open' })).toBeVisible();
    await page.getByRole('link', { name: 'Go to the rule' }).click();
    await expect(page.getByRole('heading', { name: RULE })).toBeVisible();
    await expect(page.getByRole('main')).toContainText(/Free\s*1/);
    expect(clicks.count, clicks.made.join('\n')).toBeLessThanOrEqual(14);
  });

  await test.step('a mistyped number is corrected within 5, from the list of rules', async () => {
    const clicks = new ClickCounter();
    await page.goto('/rules');
    await clicks.click(page.getByRole('link', { name: RULE }));
    await clicks.click(page.getByRole('link', { name: 'Correct', exact: true }));
    await clicks.clickAndType(page.getByLabel('Amount of watch time'), '7');
    await clicks.enter(page);
    await clicks.click(page.getByRole('button', { name: 'Correct rule' }));
    await expect(page.getByText('Rule corrected')).toBeVisible();
    await expect(page.getByRole('main')).toContainText('Watch 7 h');
    expect(clicks.count, clicks.made.join('\n')).toBeLessThanOrEqual(5);
  });

  const demo = new Person(demoPage, panel, demoPerson(0));
  const viewer = new Person(viewerPage, panel, { login: VIEWER, email: '', password: '' });
  let item = '';
  await test.step('the demo streamer has forty rules, one of them with a reward for two minutes', () =>
    asDemoStreamer(async () => {
      await demo.signIn();
      await demo.speak('en');
      await demo.openRule('Two counted minutes', { watchMinutes: 2 }, 1);
      item = await demoPage.getByRole('main').locator('.item__name').first().innerText();
      await openManyRules(demoPage);
    }));

  await test.step('a new viewer claims a first reward within 8', async () => {
    const clicks = new ClickCounter();
    await viewerPage.goto('/');
    await clicks.click(viewerPage.getByRole('link', { name: 'Sign in' }).first());
    await signUpByTwitch(viewerPage, clicks, VIEWER);
    await connectSteam(viewerPage, clicks, VIEWER, tradeUrls.viewer);
    await expect(viewerPage.getByText('Steam trade link updated')).toBeVisible();
    await panel.joinChat(demo.names.login, VIEWER);
    await panel.goLive(demo.names.login);
    await viewer.watches(panel, /Ready to claim/);
    await viewerPage.goto('/dashboard');
    await clicks.click(viewerPage.getByRole('link', { name: 'Claim' }).first());
    await clicks.click(viewerPage.getByRole('button', { name: 'Claim this reward' }));
    await viewer.seesOnProgress(/Open the offer/);
    expect(clicks.count, clicks.made.join('\n')).toBeLessThanOrEqual(8);
  });

  await test.step('the streamer learns within 2 who got the item and that it arrived', async () => {
    await panel.acceptOffer(viewer.steamName);
    await viewer.seesOnProgress(/Delivered .*final on/);
    await panel.goOffline(demo.names.login);
    const clicks = new ClickCounter();
    await demoPage.goto('/dashboard');
    await clicks.clickAndType(demoPage.getByRole('searchbox', { name: 'Who got what' }), item);
    await clicks.enter(demoPage);
    const row = demoPage.getByRole('row').filter({ hasText: VIEWER });
    await expect(row).toContainText(item);
    await expect(row.locator('[data-label="Delivered"]')).toHaveClass(/step--done/);
    expect(clicks.count, clicks.made.join('\n')).toBeLessThanOrEqual(2);
  });
  for (const context of contexts) await context.close();
});
