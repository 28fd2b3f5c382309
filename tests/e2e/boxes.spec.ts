import { rmSync } from 'node:fs';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { makeSqliteFile } from '#tests/support/database.ts';
import { findStrays } from './find-strays.ts';
import { findViolations } from './find-violations.ts';
import { inventory } from './long-names.ts';
import { fillLongNames, type LongNamesWorld, operatorAddress } from './long-names-world.ts';
import { startOwnWeb } from './own-web.ts';
import { MAX_SHIFT, shiftOf, watchShifts } from './shifts.ts';

/** The walk looks at all of them; a phone and a common window are looked at each time. */
const widthsOf = { walk: [360, 390, 1080, 1280, 1366, 1440], pages: [360, 1280] };
type Language = 'en' | 'ru';
const height = 900;

// Each step would be drawn twice for a trace, which takes longer than the step, and faults are told in words.
test.use({ trace: 'off' });

let web: Awaited<ReturnType<typeof startOwnWeb>>;
let world: LongNamesWorld;
let store: string;

test.beforeAll(async () => {
  const { file, folder } = await makeSqliteFile('disk');
  store = folder;
  world = await fillLongNames(file, Date.now());
  web = await startOwnWeb(folder, operatorAddress, inventory);
});

test.afterAll(async () => {
  await web.stop();
  rmSync(store, { recursive: true, force: true });
});

/** As the browser sends it back. */
const cookieOf = (token: string) => encodeURIComponent(Buffer.from(JSON.stringify(token)).toString('base64'));

/** A window of somebody who reads this language, and whose system asks for it. */
async function openWindow(browser: Browser, language: Language, token: string | null): Promise<Page> {
  const locale = language === 'ru' ? 'ru-RU' : 'en-US';
  const context = await browser.newContext({ baseURL: web.url, locale });
  if (token) await context.addCookies([{ name: 'keepsake_session', value: cookieOf(token), url: web.url }]);
  await watchShifts(context);
  const page = await context.newPage();
  // Pictures of Twitch and Steam are not there.
  await page.route(/^https:/, (route) => route.abort());
  if (token) {
    await page.goto('/faq');
    await page.evaluate(
      (chosen) => fetch('/language', { method: 'POST', body: new URLSearchParams({ language: chosen }) }),
      language,
    );
  }
  return page;
}

const pathOf = (address: string) => new URL(address, web.url).pathname;

interface Manner {
  language: Language;
  widths: readonly number[];
  /** True if axe and shifts are looked at too. */
  isCloser: boolean;
}

/** Faults that do not depend on names. */
async function otherFaultsOf(page: Page): Promise<string[]> {
  const shift = await shiftOf(page);
  return [...(shift <= MAX_SHIFT ? [] : [`shifts by ${shift}`]), ...(await findViolations(page))];
}

/** Opens a page once, and makes the window as wide as each of the widths. */
async function faultsOf(
  page: Page,
  address: string,
  { widths, isCloser, language }: Manner,
): Promise<string[]> {
  const answer = await page.goto(address);
  await page.evaluate(() => document.fonts.ready);
  const spoken = await page.locator('html').getAttribute('lang');
  const faults = [
    ...(answer?.status() === 200 ? [] : [`status ${answer?.status()}`]),
    ...(pathOf(page.url()) === pathOf(address) ? [] : [`leads to ${page.url()}`]),
    ...(spoken === language ? [] : [`speaks ${spoken}`]),
    ...(isCloser ? await otherFaultsOf(page) : []),
  ];
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    for (const stray of await findStrays(page)) faults.push(`at ${width} px: ${stray}`);
  }
  return faults;
}

for (const language of ['en', 'ru'] as const)
  for (const who of ['signedOut', 'viewer', 'streamer'] as const)
    test(`Long names stay in their boxes: ${who}, ${language}`, async ({ browser }, { project }) => {
      const page = await openWindow(browser, language, who === 'signedOut' ? null : world.tokens[who]);
      const isCloser = project.name === 'walk';
      const ascending = widthsOf[isCloser ? 'walk' : 'pages'];
      // Each page is opened at the width at which the one before was left: the widest, or the narrowest.
      const widths = language === 'en' ? ascending : ascending.toReversed();
      const manner = { language, widths, isCloser };
      for (const address of world.pages[who])
        expect.soft(await faultsOf(page, address, manner), address).toEqual([]);
      await page.context().close();
    });

test('Whatever does not fit is found', async ({ page }) => {
  const card = (style: string, content: string) =>
    `<div style="width:200px;border:1px solid;font:16px monospace;margin:9px;${style}">${content}</div>`;
  const shortened = (content: string) =>
    `<p style="width:80px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap">${content}</p>`;
  const planted = {
    'out of div': card('white-space:nowrap', 'A name that is longer than its card'),
    'cut by div': card('overflow:hidden;white-space:nowrap', 'A name that nobody can read to its end'),
    ' over ': card('', '<p style="margin:0 0 -20px">above</p><p style="margin:0">below</p>'),
    'broken: number': card('width:40px;word-break:break-all', 'number'),
    'out of the window': '<p style="white-space:nowrap;margin-left:99vw">wider</p>',
    'Nothing says all of it': card('', `<a title="All of it">${shortened('Nothing says all of it')}</a>`),
    'Another one': `<section aria-label="A list with Another one that goes on">${shortened('Another one that goes on')}</section>`,
    'out of div.box: A page': card(
      'overflow:auto;white-space:nowrap" class="box',
      'A page that was not meant to scroll',
    ),
    'button (': card('', '<button style="margin-left:150px;width:99px">Act</button>'),
  };
  for (const [fault, content] of Object.entries(planted)) {
    await page.setContent(content);
    expect((await findStrays(page)).join(), content).toContain(fault);
  }
  await page.setContent(
    [
      card('', '<p>Words that fit</p><button>Act</button>'),
      card(
        'overflow:hidden;text-overflow:ellipsis;white-space:nowrap" title="A name that goes on',
        'A name that goes on',
      ),
      `<a title="Another name that goes on">${shortened('Another name that goes on')}</a>`,
      card('overflow:auto;white-space:nowrap" class="tabs', 'A line that can be scrolled to its end'),
      '<details><summary>More</summary><p style="margin-left:150vw">closed</p></details>',
    ].join(''),
  );
  expect(await findStrays(page)).toEqual([]);
});

test('A card leads to its page, and each link on it to its own', async ({ browser }) => {
  const page = await openWindow(browser, 'en', world.tokens.viewer);
  await page.setViewportSize({ width: 1280, height });
  const card = page.locator('.channel', { has: page.locator('p a') }).first();
  await page.goto('/browseChannels');
  const inner = await card.locator('p a').first().getAttribute('href');
  await card.locator('p a').first().click();
  await expect(page).toHaveURL(new URL(inner ?? '', web.url).href);
  await page.goto('/browseChannels');
  const own = await card.getByRole('heading').getByRole('link').getAttribute('href');
  expect(own).not.toBe(inner);
  // Its edge belongs to no text or picture.
  await card.click({ position: { x: 3, y: 3 } });
  await expect(page).toHaveURL(new URL(own ?? '', web.url).href);
  const offer = page.locator('.offer', { has: page.locator('a[href^="/proof/"]') }).first();
  const [rule, proof] = await Promise.all(
    [offer.getByRole('heading'), offer.locator('p')].map((place) =>
      place.getByRole('link').last().getAttribute('href'),
    ),
  );
  await offer.locator('a[href^="/proof/"]').click();
  await expect(page).toHaveURL(new URL(proof ?? '', web.url).href);
  await page.goBack();
  await offer.getByRole('heading').getByRole('link').click();
  await expect(page).toHaveURL(new URL(rule ?? '', web.url).href);
  await page.context().close();
});

test('A filter is folded, applies at once, keeps the focus and can be dropped by itself', async ({
  browser,
}) => {
  const page = await openWindow(browser, 'en', world.tokens.streamer);
  await page.goto('/rules');
  const state = page.locator('select[name="state"]');
  await expect(state).toBeHidden();
  await page.getByRole('search').locator('summary').click();
  await state.focus();
  await state.selectOption('open');
  await expect(page).toHaveURL(/state=open/);
  await expect(state).toBeFocused();
  await expect(page.getByRole('search').locator('summary')).toHaveAccessibleName('Filter: 1');
  await page.getByRole('link', { name: /^Clear: .+: Open$/ }).click();
  await expect(page).not.toHaveURL(/state=open/);
  await expect(state).toHaveValue('');
  // Arrow keys choose one after the other; only the last applies.
  await state.focus();
  await state.press('ArrowDown');
  await state.press('ArrowDown');
  const chosen = await state.inputValue();
  await expect(page).not.toHaveURL(/state=\w/);
  await state.press('Enter');
  await expect(page).toHaveURL(new RegExp(`state=${chosen}`));
  await page.context().close();
});
