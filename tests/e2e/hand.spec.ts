import { rmSync } from 'node:fs';
import { type Browser, expect, type Locator, type Page, test } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { bots } from '#db/schema/bot.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { hour } from '#domain/kernel/time.ts';
import { createVault } from '#platform/vault.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, sendQueued } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { overflowOf } from './find-violations.ts';
import { startOwnWeb } from './own-web.ts';

/** A small phone. */
const viewport = { width: 360, height: 740 };
/** The height of the bar that stays above the page. */
const BAR = 56;
/** A finger's width. */
const FINGER = 44;
const botName = 'Keepsake Delivery 7';

/** A viewer with rewards to claim, and another whose offer waits on Steam. */
async function fillStore(file: string, nowMs: number) {
  sealColumnsWith(createVault(Buffer.alloc(32).toString('base64')));
  const db = await openSqlite(file);
  const botId = await addBot(db, 'keepsake_07');
  await db.transaction((tx) => tx.update(bots).set({ profileName: botName }).where(eq(bots.id, botId)));
  const [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  const { userId } = viewer;
  const facts = { nowMs: nowMs - hour, claimTimeoutHours: 72 };
  const [sent] = (await promiseTo(db, streamer, [viewer], facts)).rewards;
  await claimReward(db, { rewardId: sent?.id ?? '', userId }, nowMs - hour);
  const [offer] = await sendQueued(db, nowMs - hour);
  const promised = async () => (await promiseTo(db, streamer, [viewer], facts)).rewards[0]?.id ?? '';
  const readyId = await promised();
  const pressedIds = { en: await promised(), ru: await promised() };
  const { token } = await openSession(db, { userId, userAgent: 'test' }, nowMs);
  const [transferId, offerId] = [offer?.id ?? '', offer?.offerId ?? ''];
  return { db, token, readyId, pressedIds, transferId, offerId };
}

let web: Awaited<ReturnType<typeof startOwnWeb>>;
let world: Awaited<ReturnType<typeof fillStore>>;
let store: string;

test.beforeAll(async () => {
  const { file, folder } = await makeSqliteFile('disk');
  store = folder;
  world = await fillStore(file, Date.now());
  web = await startOwnWeb(folder, 'nobody@example.org', []);
});

test.afterAll(async () => {
  await web.stop();
  await world.db.close();
  rmSync(store, { recursive: true, force: true });
});

async function openPhone(browser: Browser, language: 'en' | 'ru', hasScripts: boolean): Promise<Page> {
  const context = await browser.newContext({
    ...{ baseURL: web.url, viewport, hasTouch: true, javaScriptEnabled: hasScripts },
    locale: language === 'ru' ? 'ru-RU' : 'en-US',
  });
  const value = encodeURIComponent(Buffer.from(JSON.stringify(world.token)).toString('base64'));
  await context.addCookies([{ name: 'keepsake_session', value, url: web.url }]);
  const page = await context.newPage();
  // Somebody who has been here before: the question about cookies is answered.
  await page.addInitScript((timestamp) => {
    const answer = { type: 'essential', version: '1.0', timestamp };
    localStorage.setItem('keepsake.cookie-consent', JSON.stringify(answer));
  }, new Date().toISOString());
  await page.route(/^https:/, (route) => route.abort());
  return page;
}

const boxOf = async (part: Locator) => {
  const box = await part.boundingBox();
  if (!box) throw new Error('it is not drawn');
  return { ...box, bottom: box.y + box.height };
};

/** Expects a control that is large enough for a finger. */
async function expectLarge(control: Locator): Promise<void> {
  const { width, height } = await boxOf(control);
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(FINGER);
}

/** Expects one that also is in the lower two thirds of the window. */
async function expectInReach(control: Locator): Promise<void> {
  await expectLarge(control);
  const { y, bottom } = await boxOf(control);
  expect(y).toBeGreaterThanOrEqual(viewport.height / 3);
  expect(bottom).toBeLessThanOrEqual(viewport.height);
}

/** Expects parts that are seen together, between the bar and whatever is stuck to the end of the window. */
async function expectTogether(parts: Locator[], above: number = viewport.height): Promise<void> {
  const boxes = await Promise.all(parts.map(boxOf));
  expect(Math.min(...boxes.map(({ y }) => y))).toBeGreaterThanOrEqual(BAR);
  expect(Math.max(...boxes.map(({ bottom }) => bottom))).toBeLessThanOrEqual(above);
}

/** Scrolls by a thumb's stroke, as far as the page goes. */
const scrollTo = (part: Locator, block: 'start' | 'end') =>
  part.evaluate((element, where) => element.scrollIntoView({ block: where }), block);

for (const language of ['en', 'ru'] as const)
  for (const hasScripts of [true, false])
    test(`What claims and what is compared is in reach of one hand: ${language}, ${hasScripts ? 'with' : 'without'} JavaScript`, async ({
      browser,
    }) => {
      const page = await openPhone(browser, language, hasScripts);
      const main = page.getByRole('main');

      await page.goto(`/rewards/${world.readyId}/claim`);
      const act = main.locator('form .btn--primary');
      await expectInReach(act);
      await scrollTo(main.locator('.trade'), 'start');
      const { y: foot } = await boxOf(act);
      const sender = main.locator('.trade__offer .item', { hasText: botName });
      await expectTogether([main.locator('.trade .plate'), main.locator('.code--big'), sender], foot);
      await expectInReach(act);
      if (hasScripts) await expectLarge(main.locator('.code--big .btn'));
      expect(await overflowOf(page)).toBe(0);

      const address = `https://steamcommunity.com/tradeoffer/${world.offerId}/`;
      await page.goto('/rewardProgress');
      const card = main.locator('.reward', { has: page.locator(`a[href="${address}"]`) });
      const link = card.locator(`a[href="${address}"]`);
      await scrollTo(link, 'end');
      await expectTogether([card.locator('h3'), card.locator('.amount.mono'), link]);
      await expectInReach(link);
      expect(await overflowOf(page)).toBe(0);

      // The push about the offer leads here.
      await page.goto(`/transfers?open=${world.transferId}`);
      const opened = main.locator('.transfer__body');
      const toSteam = opened.locator(`a[href="${address}"]`);
      await scrollTo(toSteam, 'end');
      await expectTogether([opened.locator('.code--big'), opened.getByText(botName), toSteam]);
      await expectInReach(toSteam);
      expect(await overflowOf(page)).toBe(0);
      await page.context().close();
    });

for (const language of ['en', 'ru'] as const)
  test(`A claim is pressed and its offer is reached with one hand: ${language}`, async ({ browser }) => {
    const page = await openPhone(browser, language, true);
    const main = page.getByRole('main');
    await page.goto(`/rewards/${world.pressedIds[language]}/claim`);
    const act = main.locator('form .btn--primary');
    await expectInReach(act);
    await act.tap();
    await expect(page).toHaveURL(/\/rewardProgress$/);
    const [sent] = await sendQueued(world.db, Date.now());
    // The page learns of it by itself.
    const address = `https://steamcommunity.com/tradeoffer/${sent?.offerId}/`;
    const card = main.locator('.reward', { has: page.locator(`a[href="${address}"]`) });
    const link = card.locator(`a[href="${address}"]`);
    await expect(link).toBeVisible();
    await scrollTo(link, 'end');
    await expectTogether([card.locator('h3'), card.locator('.amount.mono'), link]);
    await expectInReach(link);
    expect(await overflowOf(page)).toBe(0);
    // Nothing lies over it.
    await link.tap({ trial: true });
    await page.context().close();
  });
