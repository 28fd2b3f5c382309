import { expect, test } from '@playwright/test';
import { Companion, verdictOn } from './companion.ts';
import { Person } from './person.ts';
import { SandboxPanel } from './sandbox-panel.ts';

const ITEM = 'P250 | Facility Draft';
const CATALOGUE_ITEM = `${ITEM} (Field-Tested) (Counter-Strike 2)`;

/** Both ways to use the product: with JavaScript, and with plain documents and forms. */
const ways = [
  { way: 'with JavaScript', javaScriptEnabled: true, mark: 'js' },
  { way: 'without JavaScript', javaScriptEnabled: false, mark: 'plain' },
];

/** Looks at the extension's verdicts on Steam's pages of the viewer's offer. */
async function seesVerdicts(companion: Companion, tradeUrl: string, address: string): Promise<void> {
  const offer = await companion.openSteam(tradeUrl, address);
  const words = 'This is your reward from E2e_streamer_js. You give nothing.';
  await expect(verdictOn(offer)).toContainText(words);
  await offer.getByText('Change offer').click();
  await expect(verdictOn(offer)).toContainText('no longer the offer that was sent');
  await offer.goto(`${address}?l=russian`);
  await expect(verdictOn(offer)).toContainText(words);
  await offer.goto('https://steamcommunity.com/my/tradeoffers/');
  await expect(verdictOn(offer)).toContainText(words);
  await companion.signOut();
  await offer.goto(address);
  await expect(verdictOn(offer)).toContainText('The extension is not signed in');
}

for (const { way, javaScriptEnabled, mark } of ways) {
  test(`A viewer earns and receives a reward, ${way}`, async ({ browser }) => {
    const contexts = await Promise.all([1, 2, 3].map(() => browser.newContext({ javaScriptEnabled })));
    const [forPanel, forStreamer, forViewer] = await Promise.all(
      contexts.map((context) => context.newPage()),
    );
    if (!forPanel || !forStreamer || !forViewer) throw new Error('no pages');
    const panel = new SandboxPanel(forPanel);
    const password = 'a sentence that is long enough';
    const named = (role: string) => ({
      login: `E2e_${role}_${mark}`,
      email: `e2e-${role}-${mark}@example.org`,
      password,
    });
    const streamer = new Person(forStreamer, panel, named('streamer'));
    const viewer = new Person(forViewer, panel, named('viewer'));

    await test.step('the world has two more people', async () => {
      await panel.addTwitchUser(streamer.names.login, 'affiliate');
      await panel.addTwitchUser(viewer.names.login, 'viewer');
    });
    const tradeUrls = {
      streamer: await panel.addSteamUser(streamer.steamName),
      viewer: await panel.addSteamUser(viewer.steamName),
    };
    await panel.giveItem(streamer.steamName, CATALOGUE_ITEM, 2);
    const handedOver = await panel.inventoryOf(streamer.steamName);

    await test.step('the streamer signs up and links Twitch and Steam', async () => {
      await streamer.signUp();
      await streamer.connectTwitch();
      await streamer.allowExtendedPermissions();
      await streamer.connectSteam();
      await streamer.setTradeLink(tradeUrls.streamer);
    });
    await test.step('the streamer deposits items, which are locked for seven days', async () => {
      await streamer.deposit(ITEM, 2);
      await panel.acceptOffer(streamer.steamName);
      await streamer.seesInCustody(ITEM, /2 in cooldown until/);
      await panel.advance({ days: 8 });
      await streamer.seesInCustody(ITEM, /Return/);
    });
    await test.step('the streamer opens a watch time rule with a reward', () =>
      javaScriptEnabled
        ? streamer.openRule('Two minutes together', { watchMinutes: 2 }, [ITEM])
        : streamer.openRuleWithReward('Two minutes together', { watchMinutes: 2 }, ITEM));

    await test.step('the viewer signs up and links Twitch and Steam', async () => {
      await viewer.signUp();
      await viewer.connectTwitch();
      await viewer.connectSteam();
      await viewer.setTradeLink(tradeUrls.viewer);
    });
    const companion = javaScriptEnabled ? await Companion.open() : null;
    await test.step('the viewer signs the browser extension in', async () => {
      await companion?.signIn(new URL(forViewer.url()).origin, await viewer.extensionCode());
    });
    await test.step('the viewer watches and is promised the reward', async () => {
      await panel.joinChat(streamer.names.login, viewer.names.login);
      await panel.goLive(streamer.names.login);
      await viewer.watches(panel, /Ready to claim/);
    });
    await test.step('the viewer claims and accepts the offer', async () => {
      await viewer.claim();
      await viewer.seesOnProgress(/Open the offer/);
      if (companion) await seesVerdicts(companion, tradeUrls.viewer, await viewer.offerAddress());
      await panel.acceptOffer(viewer.steamName);
      await viewer.seesOnProgress(/Delivered .*final on/);
    });
    await test.step('the item is in the viewer’s inventory, under a new id', async () => {
      const received = await panel.inventoryOf(viewer.steamName);
      expect(received.map(({ name }) => name)).toEqual([expect.stringContaining(ITEM)]);
      const given = await panel.inventoryOf(streamer.steamName);
      expect(given).toEqual([]);
      expect(handedOver.map(({ assetId }) => assetId)).not.toContain(received[0]?.assetId);
    });
    for (const context of contexts) await context.close();
    await companion?.close();
  });
}
