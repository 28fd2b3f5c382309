import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, type BrowserContext, expect as expectIn, type Page } from '@playwright/test';
import type { startOverlayWorld } from './overlay-world.ts';

export type OverlayWorld = Awaited<ReturnType<typeof startOverlayWorld>>;

/** More than a browser opens connections to one host over HTTP/1.1. */
export const SOURCES = 8;
const RIGHT_AGAIN_MS = 5_000;
/** A machine under load takes several times as long as a quiet one, also where no configuration says so. */
const expect = expectIn.configure({ timeout: 60_000 });

type Notice = { kind: string; moment?: { id: string } };
declare global {
  interface Window {
    notice: Notice[];
  }
}

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

export async function openPage(world: OverlayWorld, context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(recordNotices);
  await page.goto(`${world.url}${path}`);
  return page;
}

export const momentsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => window.notice.flatMap(({ moment }) => moment?.id ?? []));
export const isSetUp = (page: Page) =>
  expect.poll(() => page.evaluate(() => window.notice.some(({ kind }) => kind === 'setup'))).toBe(true);

/** Opens sources of the world's overlay in one browser while `play` lasts. */
export async function withSources(
  world: OverlayWorld,
  { browser, count }: { browser: Browser; count: number },
  play: (first: Page, pages: Page[]) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 800, height: 450 } });
  try {
    const pages: Page[] = [];
    for (let number = 0; number < count; number++)
      pages.push(await openPage(world, context, `/overlay/${(await world.secrets()).overlay}`));
    await Promise.all(pages.map(isSetUp));
    const [first] = pages;
    if (first) await play(first, pages);
  } finally {
    await context.close();
  }
}

/**
 * Sends events one after another, and starts the web process again in their middle: each page is right again in time, and
 * is told everything once.
 */
export async function playEvents(
  world: OverlayWorld,
  pages: readonly Page[],
  { events, betweenMs }: { events: number; betweenMs: number },
): Promise<void> {
  for (let number = 1; number <= events; number++) {
    await world.send();
    await pause(betweenMs);
    if (number !== events / 2) continue;
    await world.restart();
    const sentAt = Date.now();
    await world.send();
    for (const page of pages)
      await expect
        .poll(async () => (await momentsOf(page)).length, { timeout: RIGHT_AGAIN_MS })
        .toBe(number + 1);
    expect(Date.now() - sentAt).toBeLessThan(RIGHT_AGAIN_MS);
  }
  for (const page of pages) {
    await expect.poll(async () => (await momentsOf(page)).length).toBe(events + 1);
    expect(new Set(await momentsOf(page)).size).toBe(events + 1);
  }
}

/** Names of the events by which a browser tells that it drew. */
const drawn = new Set(['Paint', 'DrawFrame', 'Commit', 'CompositeLayers']);
/** Chromium draws two frames of every page, even of an empty one, some seconds after it was loaded. */
const SETTLED_MS = 6_000;

/** Counts what a browser draws meanwhile. */
export async function framesWhile(
  browser: Browser,
  page: Page,
  doing: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  await doing();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: { name: string }[];
  };
  return traceEvents.filter(({ name }) => drawn.has(name)).length;
}

/** Traces an overlay at rest once the browser has settled, and then one that has something to show. */
export async function traceRest(
  world: OverlayWorld,
  { browser, page, restMs }: { browser: Browser; page: Page; restMs: number },
): Promise<{ atRest: number; busy: number }> {
  await expect(page.locator('.piece--pool')).toBeVisible();
  await expect.poll(() => framesWhile(browser, page, () => pause(SETTLED_MS))).toBe(0);
  const atRest = await framesWhile(browser, page, () => pause(restMs));
  const busy = await framesWhile(browser, page, async () => {
    await world.send();
    await expect(page.locator('.piece--reward')).toBeVisible();
  });
  return { atRest, busy };
}
