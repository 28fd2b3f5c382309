import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test';
import { firstIdAt } from '#domain/outbox/read-events.ts';
import { startOverlayWorld } from './overlay-world.ts';

/** `OVERLAY_MINUTES=10` plays the whole length; otherwise a few seconds show the same. */
const minutes = Number(process.env.OVERLAY_MINUTES ?? 0);
const EVENTS = minutes > 0 ? 300 : 12;
const BETWEEN_MS = minutes > 0 ? (minutes * 60_000) / EVENTS : 250;
/** Chromium draws two frames of every page, even of an empty one, some seconds after it was loaded. */
const SETTLED_MS = 6_000;
const IDLE_MS = minutes > 0 ? 60_000 : 3_000;
/** More than a browser opens connections to one host over HTTP/1.1. */
const SOURCES = 8;
const RIGHT_AGAIN_MS = 5_000;

// Pages that draw themselves all the time would hide what an overlay draws.
test.use({ trace: 'off' });

type Notice = { kind: string; moment?: { id: string } };
declare global {
  interface Window {
    notice: Notice[];
  }
}

let world: Awaited<ReturnType<typeof startOverlayWorld>>;
test.beforeAll(async () => {
  world = await startOverlayWorld();
});
test.afterAll(async () => {
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
});

/** Notes what a page is told by the worker that it shares with others. */
function recordNotices(): void {
  window.notice = [];
  window.SharedWorker = class extends window.SharedWorker {
    constructor(...[script, options]: ConstructorParameters<typeof SharedWorker>) {
      super(script, options);
      this.port.addEventListener('message', ({ data }) => window.notice.push(data));
    }
  };
}

async function openPage(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(recordNotices);
  await page.goto(`${world.url}${path}`);
  return page;
}

const openSource = async (context: BrowserContext): Promise<Page> =>
  openPage(context, `/overlay/${(await world.secrets()).overlay}`);

const momentsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => window.notice.flatMap(({ moment }) => moment?.id ?? []));
const isSetUp = (page: Page) =>
  expect.poll(() => page.evaluate(() => window.notice.some(({ kind }) => kind === 'setup'))).toBe(true);

async function withSources(
  browser: Browser,
  count: number,
  play: (first: Page, pages: Page[]) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 800, height: 450 } });
  try {
    const pages: Page[] = [];
    for (let number = 0; number < count; number++) pages.push(await openSource(context));
    await Promise.all(pages.map(isSetUp));
    const [first] = pages;
    if (first) await play(first, pages);
  } finally {
    await context.close();
  }
}

test('Eight sources of one browser stay alive, and each is told everything once while the web process starts again', async ({
  browser,
}) => {
  test.setTimeout(120_000 + minutes * 60_000);
  await withSources(browser, SOURCES, async (_, pages) => {
    for (let number = 1; number <= EVENTS; number++) {
      await world.send();
      await pause(BETWEEN_MS);
      if (number === EVENTS / 2) {
        await world.restart();
        const sentAt = Date.now();
        await world.send();
        for (const page of pages)
          await expect
            .poll(async () => (await momentsOf(page)).length, { timeout: RIGHT_AGAIN_MS })
            .toBe(number + 1);
        expect(Date.now() - sentAt).toBeLessThan(RIGHT_AGAIN_MS);
      }
    }
    for (const page of pages) {
      await expect.poll(async () => (await momentsOf(page)).length).toBe(EVENTS + 1);
      expect(new Set(await momentsOf(page)).size).toBe(EVENTS + 1);
    }
  });
});

test('Sources and docks of two streamers, eight in one browser, stay alive and are told their own', async ({
  browser,
}) => {
  const context = await browser.newContext();
  // A source that opens within seconds of an event is told of it: one of the test before does not count.
  const startId = firstIdAt(Date.now());
  const [own, others] = [await world.secrets(), await world.otherSecrets()];
  const paths = [own, others].flatMap(({ overlay, dock }) => [
    ...Array.from({ length: 3 }, () => `/overlay/${overlay}`),
    `/dock/${dock}`,
  ]);
  const pages: Page[] = [];
  for (const path of paths) pages.push(await openPage(context, path));
  await Promise.all(pages.map(isSetUp));
  const counts = () =>
    Promise.all(pages.map(async (page) => (await momentsOf(page)).filter((id) => id >= startId).length));
  // A dock shows no tests.
  await world.send();
  await expect.poll(counts).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
  for (let number = 0; number < 2; number++) await world.sendToOther();
  await expect.poll(counts).toEqual([1, 1, 1, 0, 2, 2, 2, 0]);
  await world.restart();
  await world.send();
  await expect.poll(counts, { timeout: 20_000 }).toEqual([2, 2, 2, 0, 2, 2, 2, 0]);
  await context.close();
});

test('A source loads at most 30 KiB before it shows something', async ({ browser }) => {
  await withSources(browser, 1, async (page) => {
    await expect(page.locator('.piece--pool')).toBeVisible();
    const bytes = await page.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
        (sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize,
        0,
      ),
    );
    expect(bytes).toBeGreaterThan(3_000);
    expect(bytes).toBeLessThanOrEqual(30 * 1024);
  });
});

/** Names of the events by which a browser tells that it drew. */
const drawn = new Set(['Paint', 'DrawFrame', 'Commit', 'CompositeLayers']);

test('An overlay at rest paints no frame, and one that has something to show does', async ({ browser }) => {
  await withSources(browser, 1, async (page) => {
    await expect(page.locator('.piece--pool')).toBeVisible();
    const frames = async (doing: () => Promise<unknown>) => {
      await browser.startTracing(page, {
        categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
      });
      await doing();
      const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
        traceEvents: { name: string }[];
      };
      return traceEvents.filter(({ name }) => drawn.has(name)).length;
    };
    await expect.poll(() => frames(() => pause(SETTLED_MS))).toBe(0);
    expect(await frames(() => pause(IDLE_MS))).toBe(0);
    const busy = await frames(async () => {
      await world.send();
      await expect(page.locator('.piece--reward')).toBeVisible();
    });
    expect(busy).toBeGreaterThan(0);
  });
});

test('What a source that nobody sees is told is dropped, and not shown later', async ({ browser }) => {
  await withSources(browser, 1, async (page) => {
    const active = (isActive: boolean) =>
      page.evaluate((detail) => window.dispatchEvent(new CustomEvent('obsSourceActiveChanged', { detail })), {
        active: isActive,
      });
    await active(false);
    await world.send();
    await expect.poll(async () => (await momentsOf(page)).length).toBe(1);
    await active(true);
    await pause(500);
    await expect(page.locator('.piece--reward')).toHaveCount(0);
    await world.send();
    await expect(page.locator('.piece--reward')).toBeVisible();
  });
});

test('A stop takes everything off the picture at once, and it goes on afterwards', async ({ browser }) => {
  await withSources(browser, 1, async (page) => {
    await world.send();
    await expect(page.locator('.piece--reward')).toBeVisible();
    await world.stopOverlay(true);
    // The reward alone would stay for seven seconds.
    await expect(page.locator('.piece')).toHaveCount(0, { timeout: 3_000 });
    await world.stopOverlay(false);
    await expect(page.locator('.piece--pool')).toBeVisible();
    await expect(page.locator('.piece--reward')).toHaveCount(0);
  });
});

test('The heap stays flat over ten thousand events', async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'));
  const [setup, moment] = [
    {
      layout: {
        ...{ reward: 'bottomLeft', winner: 'bottom', raffle: 'left' },
        ...{ pool: 'topRight', goal: 'topLeft', next: 'right' },
      },
      locale: 'en',
      isCalm: false,
      hasSound: false,
      isStopped: false,
    },
    {
      kind: 'earned',
      name: 'Somebody',
      item: { name: 'Demo case', iconUrl: '', rarityTag: '' },
      ruleName: 'Rule',
    },
  ];
  const frame = (id: string, notice: object) =>
    `id: ${id}\ndata: ${JSON.stringify({ to: 0, ...notice })}\n\n`;
  const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  let round = 0;
  let goOn = () => {};
  const measured = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route('**/overlay/events', async (route) => {
    round += 1;
    if (round > 2) return;
    if (round === 2) await measured;
    const count = round === 1 ? 100 : 10_000;
    const moments = Array.from({ length: count }, (_, number) => idOf(round * 100_000 + number));
    await route.fulfill({
      status: 200,
      contentType: 'text/event-stream',
      body:
        frame(idOf(round), { kind: 'setup', setup }) +
        moments.map((id) => frame(id, { kind: 'moment', moment: { id, ...moment } })).join(''),
    });
  });
  await page.goto(`${world.url}/overlay/${(await world.secrets()).overlay}`);
  const session = await context.newCDPSession(page);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize;
  };
  await expect(page.locator('.piece--reward')).toBeVisible();
  const before = await heap();
  goOn();
  await expect.poll(() => round, { timeout: 20_000 }).toBe(3);
  expect((await heap()) - before).toBeLessThan(2 * 1024 * 1024);
  await context.close();
});

test('Styles that a streamer adds in OBS load fonts and pictures, and no line of the console tells the address', async ({
  browser,
}) => {
  await withSources(browser, 1, async (page) => {
    const lines: string[] = [];
    page.on('console', (line) => lines.push(line.text()));
    const loaded: string[] = [];
    await page.route('https://elsewhere.example/**', async (route) => {
      loaded.push(new URL(route.request().url()).pathname);
      const contentType = route.request().url().endsWith('css') ? 'text/css' : 'image/svg+xml';
      await route.fulfill({
        contentType,
        body: contentType === 'text/css' ? '' : '<svg xmlns="http://www.w3.org/2000/svg"/>',
      });
    });
    const content =
      '@import "https://elsewhere.example/own.css"; body { background: url(https://elsewhere.example/own.svg) }';
    await page.addStyleTag({ content });
    await expect.poll(() => loaded.toSorted()).toEqual(['/own.css', '/own.svg']);
    expect(lines).toEqual([]);
  });
});

test('A viewer who hides their name is named no longer', async ({ browser }) => {
  await withSources(browser, 1, async (page) => {
    await expect(page.locator('.piece--next')).toContainText(world.nearName);
    await world.hideNear();
    await expect(page.locator('.piece--next')).toContainText('A viewer', { timeout: 15_000 });
    await expect(page.locator('#overlay')).not.toContainText(world.nearName);
  });
});

test('With a replaced secret open pages go blank, and the old address answers 404', async ({ browser }) => {
  const { overlay: old } = await world.secrets();
  await withSources(browser, 2, async (first, pages) => {
    const lines: string[] = [];
    for (const page of pages) page.on('console', (line) => lines.push(line.text()));
    await expect(first.locator('.piece--pool')).toBeVisible();
    await world.replaceOverlay();
    for (const page of pages) await expect(page.locator('.piece')).toHaveCount(0, { timeout: 15_000 });
    expect(lines).toEqual([]);
  });
  expect((await fetch(`${world.url}/overlay/${old}`)).status).toBe(404);
  expect((await fetch(`${world.url}/overlay/${(await world.secrets()).overlay}`)).status).toBe(200);
});
