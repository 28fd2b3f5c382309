import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { Person } from './person.ts';
import { SandboxPanel } from './sandbox-panel.ts';

const ITEM = 'P250 | Facility Draft';
const CATALOGUE_ITEM = `${ITEM} (Field-Tested) (Counter-Strike 2)`;
const KEYWORD = 'evening';
/** The folder for the pictures of `docs/overlay.md`; without it none are taken. */
const pictures = process.env.EVENING_PICTURES;

/** A picture of a drawn game with the overlay over it. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
}

const named = (role: string) => ({
  login: `Evening_${role}`,
  email: `evening-${role.toLowerCase()}@example.org`,
  password: 'a sentence that is long enough',
});

async function pageOf(browser: Browser, viewport = { width: 1280, height: 720 }): Promise<Page> {
  return (await browser.newContext({ viewport })).newPage();
}

/** Opens the streamer's overlay as OBS does, by the address on its page. */
async function openOverlay(browser: Browser, streamer: Page): Promise<Page> {
  await streamer.goto('/channel/overlay?show=overlay');
  const address = (await streamer.locator('code', { hasText: '/overlay/' }).innerText()).trim();
  const overlay = await pageOf(browser, { width: 960, height: 540 });
  await overlay.goto(address);
  if (pictures)
    await overlay.addStyleTag({
      content: 'html { background: linear-gradient(#0b1020, #26304a 62%, #0a0c12) fixed !important; }',
    });
  return overlay;
}

/** Opens the streamer's dock, in the width that OBS gives it. */
async function openDock(browser: Browser, streamer: Page): Promise<Page> {
  await streamer.goto('/channel/overlay?show=dock');
  const address = (await streamer.locator('code', { hasText: '/dock/' }).innerText()).trim();
  const dock = await pageOf(browser, { width: 340, height: 720 });
  await dock.goto(address);
  return dock;
}

test('A whole evening: a raffle from chat, on stream, claimed, accepted, and checked without the site', async ({
  browser,
}) => {
  const [forPanel, forStreamer, forViewer] = [
    await pageOf(browser),
    await pageOf(browser),
    await pageOf(browser),
  ];
  const panel = new SandboxPanel(forPanel);
  const streamer = new Person(forStreamer, panel, named('Streamer'));
  const viewer = new Person(forViewer, panel, named('Viewer'));
  const guest = 'Evening_Guest';

  await test.step('the streamer has an item in custody, and the viewer an account', async () => {
    await panel.addTwitchUser(streamer.names.login, 'affiliate');
    for (const name of [viewer.names.login, guest]) await panel.addTwitchUser(name, 'viewer');
    const tradeUrl = await panel.addSteamUser(streamer.steamName);
    const viewersUrl = await panel.addSteamUser(viewer.steamName);
    await panel.giveItem(streamer.steamName, CATALOGUE_ITEM, 2);
    await streamer.signUp();
    await streamer.connectTwitch();
    await streamer.allowExtendedPermissions();
    await streamer.connectSteam();
    await streamer.setTradeLink(tradeUrl);
    await streamer.deposit(ITEM, 2);
    await panel.acceptOffer(streamer.steamName);
    await streamer.seesInCustody(ITEM, /in cooldown until/);
    await panel.advance({ days: 8 });
    await streamer.seesInCustody(ITEM, /Return/);
    await viewer.signUp();
    await viewer.connectTwitch();
    await viewer.connectSteam();
    await viewer.setTradeLink(viewersUrl);
  });
  await test.step('the streamer prepares a raffle and goes live', async () => {
    await forStreamer.goto('/raffles');
    await forStreamer.getByLabel('Word in chat').fill(KEYWORD);
    await forStreamer.getByLabel('Winners', { exact: true }).fill('2');
    await forStreamer.getByRole('button', { name: 'Prepare a raffle' }).click();
    await expect(forStreamer.getByRole('main')).toContainText(`!${KEYWORD}`);
    await panel.goLive(streamer.names.login);
  });
  const overlay = await openOverlay(browser, forStreamer);
  const dock = await openDock(browser, forStreamer);
  const raffle = overlay.locator('.piece--raffle');
  await expect(dock.getByRole('button', { name: 'Start the raffle' })).toBeVisible();

  await test.step('a line of the broadcaster starts it, and the overlay shows it', async () => {
    await expect(async () => {
      await panel.say(streamer.names.login, streamer.names.login, '!raffle 5m');
      await expect(raffle).toContainText(`!${KEYWORD}`, { timeout: 5_000 });
    }).toPass();
    await expect(raffle).toContainText(ITEM);
    await expect(raffle).toContainText(/Closes in\s*[45] min/);
    await expect(dock.getByRole('button', { name: 'End entries and draw' })).toBeVisible();
    await takePicture(overlay, '1-started');
  });
  await forStreamer.goto('/raffles');
  const raffleAddress = await forStreamer.getByRole('link', { name: 'Its public page' }).getAttribute('href');
  await test.step('viewers enter with a word in chat, and the overlay counts them', async () => {
    for (const who of [viewer.names.login, guest, viewer.names.login])
      await panel.say(streamer.names.login, who, `!${KEYWORD}`);
    await expect(raffle).toContainText(/Entries\s*2/);
    await panel.advance({ minutes: 1 });
    await expect(raffle).toContainText(/List up to entry 2\s*[\da-f]{64}/);
    await takePicture(overlay, '2-entered');
    await expect(dock.locator('#dock')).toContainText(/2 entries\s*Entries end in [34] min/);
    await takePicture(dock, '3-dock');
  });
  await test.step('the list is closed, and the winner is drawn', async () => {
    await panel.advance({ minutes: 5 });
    await expect(raffle).toContainText('Entries closed, the draw follows');
    await takePicture(overlay, '4-closed');
    await expect(raffle).toContainText('Raffle drawn');
    await expect(raffle).toContainText(viewer.names.login);
    // Nobody without an account is named.
    await expect(raffle).toContainText('A viewer');
    await expect(overlay.locator('.piece--winner')).toContainText(viewer.names.login);
    await takePicture(overlay, '5-drawn');
    await expect(dock.locator('.wins')).toContainText(viewer.names.login);
  });
  await test.step('the winner claims and accepts the offer, and the overlay shows the delivery', async () => {
    await viewer.seesOnProgress(/Ready to claim/);
    await viewer.claim();
    await viewer.seesOnProgress(/Open the offer/);
    await panel.acceptOffer(viewer.steamName);
    await expect(overlay.locator('.piece--winner')).toContainText('Delivered on Steam');
    await takePicture(overlay, '6-delivered');
    await viewer.seesOnProgress(/Delivered .*final on/);
    const received = await panel.inventoryOf(viewer.steamName);
    expect(received.map(({ name }) => name)).toEqual([expect.stringContaining(ITEM)]);
  });
  await test.step('the published data is checked without the site', async () => {
    const published = await (await forViewer.request.get(`${raffleAddress}.json`)).text();
    const folder = mkdtempSync(join(tmpdir(), 'keepsake-evening-'));
    const file = join(folder, 'raffle.json');
    writeFileSync(file, published);
    const said = execFileSync(process.execPath, ['docs/verify-draws.mjs', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(said).toContain('VERIFIED: the places of 2 entries');
  });
  for (const page of [overlay, dock, forPanel, forStreamer, forViewer]) await page.context().close();
});
