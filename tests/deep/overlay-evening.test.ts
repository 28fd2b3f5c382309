// An overlay over the time of a stream: eight sources in one browser for ten minutes while 300 events arrive and the web
// process starts again once, and beside it, in a browser and a process of its own, a minute of an overlay at rest, of
// which each frame is traced. Takes about eleven minutes, nearly all of it waiting, so that it may run beside others.
import { rmSync } from 'node:fs';
import { type Browser, chromium } from '@playwright/test';
import { expect, onTestFinished, test } from 'vitest';
import { findBrowser } from '#tests/support/browser.ts';
import { playEvents, SOURCES, traceRest, withSources } from '../e2e/overlay-sources.ts';
import { startOverlayWorld } from '../e2e/overlay-world.ts';

const EVENTS = 300;
const BETWEEN_MS = 2_000;
const REST_MS = 60_000;

/** A streamer's overlay, and a browser of its own, because a trace covers a whole browser. */
async function open() {
  const world = await startOverlayWorld();
  const browser: Browser = await chromium.launch(await findBrowser());
  onTestFinished(async () => {
    await browser.close();
    await world.stop();
    rmSync(world.folder, { recursive: true, force: true });
  });
  return { world, browser };
}

test('Eight sources stay alive for ten minutes, and each is told 300 events once while the web process starts again', async () => {
  const { world, browser } = await open();
  await withSources(world, { browser, count: SOURCES }, (_, pages) =>
    playEvents(world, pages, { events: EVENTS, betweenMs: BETWEEN_MS }),
  );
});

test('An overlay at rest paints no frame for a minute', async () => {
  const { world, browser } = await open();
  await withSources(world, { browser, count: 1 }, async (page) => {
    const { atRest, busy } = await traceRest(world, { browser, page, restMs: REST_MS });
    expect(atRest).toBe(0);
    expect(busy).toBeGreaterThan(0);
  });
});
