import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, expect, type Page, test } from '@playwright/test';
import type { OverlayWorld } from './overlay-sources.ts';
import { startOverlayWorld } from './overlay-world.ts';
import { measureContrast } from './text-contrast.ts';

/** The least contrast of text, by WCAG 2.2 (1.4.3, level AA). */
const LEAST_CONTRAST = 4.5;
/** The folder for the pictures of `docs/overlay.md`; without it none are taken. */
const pictures = process.env.OVERLAY_PICTURES;

const turbulence = (matrix: string) =>
  `url("data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="270"><filter id="n"><feTurbulence type="turbulence" baseFrequency=".035 .06" numOctaves="4" seed="7"/><feColorMatrix values="${matrix}"/></filter><rect width="100%" height="100%" filter="url(#n)"/></svg>`,
  )}")`;

/** Drawn scenes instead of games: snow in the sun, and a cave with lamps. */
const games = {
  bright: `radial-gradient(circle at 78% 18%, #fff 0 9%, #fff3 16%, #fff0 30%), ${turbulence('0 0 0 0 1  0 0 0 0 1  0 0 0 0 1  1.6 0 0 0 -.25')}, linear-gradient(#bfe3ff, #fffdf2 45%, #ffe9a8 70%, #ffffff)`,
  dark: `radial-gradient(circle at 22% 30%, #ff9d3c 0 1%, #7a3200 3%, #0000 9%), radial-gradient(circle at 70% 64%, #6fd6ff 0 .6%, #0000 5%), ${turbulence('0 0 0 0 .06  0 0 0 0 .08  0 0 0 0 .12  1.4 0 0 0 -.2')}, linear-gradient(#020308, #10131f 55%, #000)`,
};
const sizes = { whole: { width: 1920, height: 1080 }, strip: { width: 800, height: 200 } };

const texts = {
  en: { viewer: 'Made_up_viewer', ruleName: 'Ten hours together', keyword: 'keep' },
  ru: { viewer: 'Придуманный_зритель', ruleName: 'Десять часов вместе', keyword: 'приз' },
};
type Locale = keyof typeof texts;

const item = { name: 'AK-47 | Redline', iconUrl: '', rarityTag: 'Rarity_Legendary_Weapon' };
const watched = (haveSeconds: number) => ({ haveSeconds, needSeconds: 36_000 });

/** The stream of an overlay with all pieces that stay and one moment. */
function streamOf(locale: Locale, kind: 'earned' | 'drawn'): string {
  const { viewer, ruleName, keyword } = texts[locale];
  const layout = {
    ...{ reward: 'bottomLeft', winner: 'bottom', raffle: 'left' },
    ...{ pool: 'topRight', goal: 'topLeft', next: 'right' },
  };
  const next = [
    { name: viewer, watched: watched(26_000) },
    { name: null, watched: watched(19_260) },
  ];
  const published = { entries: 138, hash: '0123456789abcdef'.repeat(4) };
  const notices = [
    { kind: 'setup', setup: { layout, locale, isCalm: false, hasSound: false, isStopped: false } },
    { kind: 'board', board: { ruleName, pool: { given: 4, pending: 1, free: 3 }, next } },
    {
      kind: 'raffle',
      raffle: { state: 'running', keyword, item, entries: 142, leftMs: 150_000, published, won: [] },
    },
    { kind: 'moment', moment: { id: `moment-${kind}`, kind, name: viewer, item, ruleName, isTest: true } },
  ];
  return notices
    .map((notice, place) => `id: ${place}\ndata: ${JSON.stringify({ to: 0, ...notice })}\n\n`)
    .join('');
}

/** Opens the overlay over a game, at the moment's first second: its time stands still. */
async function openOver(
  browser: Browser,
  { game, size, stream }: { game: string; size: keyof typeof sizes; stream: string },
): Promise<Page> {
  const context = await browser.newContext({ viewport: sizes[size] });
  const page = await context.newPage();
  await page.clock.install();
  await page.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'));
  let isAnswered = false;
  await page.route('**/overlay/events', async (route) => {
    if (isAnswered) return;
    isAnswered = true;
    await route.fulfill({ status: 200, contentType: 'text/event-stream', body: stream });
  });
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(`${world.url}/overlay/${(await world.secrets()).overlay}`);
  await page.addStyleTag({ content: `html { height: 100%; background: ${game} !important; }` });
  // Pages that open together go into one stream.
  await page.clock.runFor(100);
  return page;
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.setViewportSize({ width: 960, height: 540 });
  await page.screenshot({ path: join(pictures, `${name}.jpg`), quality: 75, animations: 'disabled' });
  await page.setViewportSize(sizes.whole);
}

// Time that stands still in a page does so in its traces, too.
test.use({ trace: 'off' });

let world: OverlayWorld;
test.beforeAll(async () => {
  world = await startOverlayWorld();
});
test.afterAll(async () => {
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
});

for (const locale of ['en', 'ru'] as const)
  for (const [name, game] of Object.entries(games))
    test(`Over a ${name} game every text is legible, in ${locale}`, async ({ browser }) => {
      for (const [size, kind, piece] of [
        ['whole', 'earned', '.piece--reward'],
        ['whole', 'drawn', '.piece--winner'],
        ['strip', 'drawn', '.piece--winner'],
      ] as const) {
        const page = await openOver(browser, { game, size, stream: streamOf(locale, kind) });
        await expect(page.locator(piece)).toBeVisible();
        await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
        if (kind === 'drawn' && size === 'whole') await takePicture(page, `overlay-${name}-${locale}`);
        const measured = await measureContrast(page, '#overlay');
        expect(measured.map(({ text }) => text)).toContain(texts[locale].viewer);
        expect(measured.filter(({ contrast }) => contrast < LEAST_CONTRAST)).toEqual([]);
        await page.context().close();
      }
    });
