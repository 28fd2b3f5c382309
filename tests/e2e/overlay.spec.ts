import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, type Page, test } from '@playwright/test';
import { firstIdAt } from '#domain/outbox/read-events.ts';
import {
  isSetUp,
  momentsOf,
  type OverlayWorld,
  openPage,
  playEvents,
  SOURCES,
  traceRest,
  withSources,
} from './overlay-sources.ts';
import { startOverlayWorld } from './overlay-world.ts';

/** A few seconds; tests/deep/overlay-evening.test.ts plays ten minutes, and traces one. */
const EVENTS = 12;
const BETWEEN_MS = 250;
const REST_MS = 3_000;

// Pages that draw themselves all the time would hide what an overlay draws.
test.use({ trace: 'off' });

let world: OverlayWorld;
test.beforeAll(async () => {
  world = await startOverlayWorld();
});
test.afterAll(async () => {
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
});

test('Eight sources of one browser stay alive, and each is told everything once while the web process starts again', async ({
  browser,
}) => {
  await withSources(world, { browser, count: SOURCES }, (_, pages) =>
    playEvents(world, pages, { events: EVENTS, betweenMs: BETWEEN_MS }),
  );
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
  for (const path of paths) pages.push(await openPage(world, context, path));
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
  await withSources(world, { browser, count: 1 }, async (page) => {
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

test('An overlay at rest paints no frame, and one that has something to show does', async ({ browser }) => {
  await withSources(world, { browser, count: 1 }, async (page) => {
    const { atRest, busy } = await traceRest(world, { browser, page, restMs: REST_MS });
    expect(atRest).toBe(0);
    expect(busy).toBeGreaterThan(0);
  });
});

test('What a source that nobody sees is told is dropped, and not shown later', async ({ browser }) => {
  await withSources(world, { browser, count: 1 }, async (page) => {
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
  await withSources(world, { browser, count: 1 }, async (page) => {
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
  await withSources(world, { browser, count: 1 }, async (page) => {
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
  await withSources(world, { browser, count: 1 }, async (page) => {
    await expect(page.locator('.piece--next')).toContainText(world.nearName);
    await world.hideNear();
    await expect(page.locator('.piece--next')).toContainText('A viewer', { timeout: 15_000 });
    await expect(page.locator('#overlay')).not.toContainText(world.nearName);
  });
});

test('With a replaced secret open pages go blank, and the old address answers 404', async ({ browser }) => {
  const { overlay: old } = await world.secrets();
  await withSources(world, { browser, count: 2 }, async (first, pages) => {
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
