// npm run bench -- companion: the page of an offer on the sandbox's Steam with and without the browser extension, and the
// time from opening the page to its verdict.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { createServer } from 'vite';
import { median, rounded } from '#tests/benchmarks/measure.ts';
import { findExtensionBrowser } from '#tests/support/browser.ts';
import type { setCompanionStage } from '#tests/support/companion-stage.ts';
import { openBrowser, openWithExtension, writeGranted } from '#tests/support/extension-browser.ts';

const ROUNDS = 20;
const WARM_UPS = 3;
const goals = { page: 1.02, verdictMs: 700 };

/** Loaded by the bundler, as the API's modules are, because some of them name pictures and its environment. */
async function openStage() {
  const bundler = await createServer({
    configFile: false,
    appType: 'custom',
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
  });
  const module = await bundler.ssrLoadModule(resolve('tests/support/companion-stage.ts'));
  const { setCompanionStage: set } = module as { setCompanionStage: typeof setCompanionStage };
  const stage = await set();
  const stop = async () => {
    await stage.stop();
    await bundler.close();
  };
  return { ...stage, stop };
}

type Stage = Awaited<ReturnType<typeof setCompanionStage>>;

/** Notes when the verdict is there, by the page's own clock. */
function recordVerdict(): void {
  const seen = window as { verdictAtMs?: number };
  new MutationObserver(() => {
    if (document.querySelector('keepsake-verdict[data-verdict=reward]'))
      seen.verdictAtMs ??= performance.now();
  }).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['data-verdict'],
  });
}

async function turnOn(context: BrowserContext, panelUrl: string, stage: Stage): Promise<void> {
  const page = await context.newPage();
  await page.goto(panelUrl);
  await page.getByLabel('Address of your Keepsake site').fill(stage.instance);
  await page.getByLabel('Code', { exact: true }).fill(await stage.code());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Turn on: Check trade offers' }).click();
  await page.getByRole('button', { name: 'Turn off: Check trade offers' }).waitFor();
  await page.close();
}

/** Opens the page; the time until it is loaded with its scripts, and those have done what they do then. */
async function loadMs(page: Page, address: string): Promise<number> {
  // Neither browser is still busy with the page before.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await page.goto(address, { waitUntil: 'load' });
  return page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    return entry?.loadEventEnd ?? Number.NaN;
  });
}

async function verdictMs(page: Page): Promise<number> {
  const found = await page.waitForFunction(() => (window as { verdictAtMs?: number }).verdictAtMs);
  return Number(await found.jsonValue());
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

async function measure(stage: Stage, folder: string) {
  const browser = findExtensionBrowser();
  if (!browser) throw new Error('no Chromium here runs extensions');
  const at = (name: string) => ({ profile: join(folder, name), proxy: stage.steamProxy });
  const without = await openBrowser(browser, { ...at('without'), unpacked: null });
  const opened = await openWithExtension(browser, { ...at('with'), unpacked: writeGranted(folder) });
  await turnOn(opened.context, new URL('/panel.html', opened.worker.url()).href, stage);
  const pages: Page[] = [];
  for (const context of [opened.context, without]) {
    await context.addCookies([stage.cookie]);
    const page = await context.newPage();
    await page.addInitScript(recordVerdict);
    pages.push(page);
  }
  const [subject, reference] = pages as [Page, Page];
  const found = { subject: [] as number[], reference: [] as number[], verdicts: [] as number[] };
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    // Each is the first in every other round, because the second finds the sandbox warmer.
    const pagesInTurn = round % 2 === 0 ? [reference, subject] : [subject, reference];
    for (const page of pagesInTurn) {
      const tookMs = await loadMs(page, stage.offerAddress);
      if (page === subject) found.verdicts.push(await verdictMs(page));
      found[page === subject ? 'subject' : 'reference'].push(tookMs);
    }
    if (round < 0) for (const list of Object.values(found)) list.pop();
  }
  await Promise.all([opened.context.close(), without.close()]);
  return found;
}

export async function run() {
  const stage = await openStage();
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-companion-'));
  try {
    const { subject, reference, verdicts } = await measure(stage, folder);
    const pageRatio = median(subject) / median(reference);
    const verdictP95Ms = percentile(verdicts, 0.95);
    return {
      pageRatio: rounded(pageRatio),
      pageMs: rounded(median(subject), 1),
      referencePageMs: rounded(median(reference), 1),
      verdictMs: rounded(median(verdicts), 1),
      verdictP95Ms: rounded(verdictP95Ms, 1),
      ratio: rounded(Math.max(pageRatio / goals.page, verdictP95Ms / goals.verdictMs)),
    };
  } finally {
    await stage.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
