// npm run bench -- companion: the page of an offer on the sandbox's Steam with and without the browser extension, and the
// time from opening the page to its verdict.
//
// The script of the extension does most of its work in the first idle moment after the page's `load`. Each visit is followed
// from its beginning until `WINDOW_MS` later, the time by which the verdict has to be there, in both browsers by turns.
// `pageRatio` is the worse of two that come before that work: when something was painted first, and when the page had loaded.
// The work itself is in `addedMs`, the worse of two differences from the page without the extension: when the main thread was
// idle again after the first idle moment, and how long all its tasks took until the end of the window, those that put the
// verdict into the page included. They are no ratios, because the sandbox's page has little to do compared with Steam's. Any
// extension costs a page some milliseconds in Chromium, also one whose script is empty.
// Beside them stands the time for which long tasks blocked the page.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BrowserContext, CDPSession, Page } from '@playwright/test';
import { createServer } from 'vite';
import { median, rounded } from '#tests/benchmarks/measure.ts';
import { findWholeBrowser } from '#tests/support/browser.ts';
import type { setCompanionStage } from '#tests/support/companion-stage.ts';
import { openBrowser, openWithExtension, writeGranted } from '#tests/support/extension-browser.ts';

const ROUNDS = 20;
const WARM_UPS = 3;
const WINDOW_MS = 700;
/** A page of Steam comes over a network: that of Lighthouse's preset for desktops, 40 ms and 10 Mbit/s. */
const connection = {
  offline: false,
  latency: 40,
  downloadThroughput: 10_240_000 / 8,
  uploadThroughput: 10_240_000 / 8,
};
const goals = { page: 1.02, addedMs: 20, verdictMs: 700 };

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

/** Facts that a page notes of itself, by its own clock. */
interface Seen {
  idleAtMs?: number;
  verdictAtMs?: number;
  blockedMs: number;
}

/**
 * Notes in the page when it is idle again after the first idle moment that follows its `load`, how long tasks block it, and
 * when the verdict is there.
 */
function note(): void {
  const seen: Seen = { blockedMs: 0 };
  Object.assign(window, { seen });
  new MutationObserver(() => {
    if (document.querySelector('keepsake-verdict[data-verdict=reward]'))
      seen.verdictAtMs ??= performance.now();
  }).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['data-verdict'],
  });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.blockedMs += Math.max(0, duration - 50);
  }).observe({ type: 'longtask', buffered: true });
  addEventListener('load', () =>
    requestIdleCallback(() =>
      // Callbacks that the first idle moment calls later, the extension's among them, come before this one.
      requestIdleCallback(() => {
        seen.idleAtMs = performance.now();
      }),
    ),
  );
}

/** The times of one visit, in milliseconds. */
interface Visit {
  paint: number;
  load: number;
  idle: number;
  blocked: number;
  /** Of the main thread's time, all tasks and those of scripts alone. */
  tasks: number;
  scripts: number;
  verdict: number;
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

interface Tab {
  page: Page;
  session: CDPSession;
}

async function openTab(context: BrowserContext, { cookie }: Stage): Promise<Tab> {
  await context.addCookies([cookie]);
  const page = await context.newPage();
  await page.addInitScript(note);
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', connection);
  return { page, session };
}

/** Opens the page and leaves it alone until the window of the visit is over. */
async function visit({ page, session }: Tab, address: string): Promise<Omit<Visit, 'verdict'>> {
  // Neither browser is still busy with the page before.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await page.goto(address, { waitUntil: 'load' });
  const { seen, paint, load } = await page.evaluate(async (windowMs) => {
    await new Promise((resolve) => setTimeout(resolve, windowMs - performance.now()));
    const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const [painted] = performance.getEntriesByName('first-contentful-paint');
    return {
      seen: (window as unknown as { seen: Seen }).seen,
      paint: painted?.startTime ?? Number.NaN,
      load: entry?.loadEventEnd ?? Number.NaN,
    };
  }, WINDOW_MS);
  // They begin at nothing with each page.
  const { metrics } = await session.send('Performance.getMetrics');
  const took = (name: string) => (metrics.find((each) => each.name === name)?.value ?? Number.NaN) * 1000;
  return {
    ...{ paint, load, idle: seen.idleAtMs ?? Number.NaN, blocked: seen.blockedMs },
    ...{ tasks: took('TaskDuration'), scripts: took('ScriptDuration') },
  };
}

/** Throws for a visit of which something was not measured. */
function requireWhole(visited: Visit): Visit {
  for (const [name, value] of Object.entries(visited))
    if (!Number.isFinite(value)) throw new Error(`a visit has no ${name}: ${value}`);
  return visited;
}

async function verdictMs({ page }: Tab): Promise<number> {
  const found = await page.waitForFunction(() => (window as unknown as { seen: Seen }).seen.verdictAtMs);
  return Number(await found.jsonValue());
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

async function measure(stage: Stage, folder: string) {
  const browser = findWholeBrowser();
  if (!browser) throw new Error('no Chromium here runs extensions');
  const at = (name: string) => ({ profile: join(folder, name), proxy: stage.steamProxy });
  const without = await openBrowser(browser, { ...at('without'), unpacked: null });
  const opened = await openWithExtension(browser, { ...at('with'), unpacked: writeGranted(folder) });
  await turnOn(opened.context, new URL('/panel.html', opened.worker.url()).href, stage);
  const subject = await openTab(opened.context, stage);
  const reference = await openTab(without, stage);
  const found = { subject: [] as Visit[], reference: [] as Visit[] };
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    // Each is the first in every other round, because the second finds the sandbox warmer.
    for (const tab of round % 2 === 0 ? [reference, subject] : [subject, reference]) {
      const visited = await visit(tab, stage.offerAddress);
      const verdict = tab === subject ? await verdictMs(tab) : 0;
      const whole = requireWhole({ ...visited, verdict });
      if (round >= 0) found[tab === subject ? 'subject' : 'reference'].push(whole);
    }
  }
  await Promise.all([opened.context.close(), without.close()]);
  return found;
}

/** Both sides' medians of a measure, named after it. */
function medians(found: Awaited<ReturnType<typeof measure>>, name: keyof Visit): Record<string, number> {
  const of = (visits: Visit[]) => rounded(median(visits.map((visit) => visit[name])), 1);
  return { [`${name}Ms`]: of(found.subject), [`${name}MsWithout`]: of(found.reference) };
}

export async function run() {
  const stage = await openStage();
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-companion-'));
  try {
    const found = await measure(stage, folder);
    // The median of the rounds: whatever slows the machine slows both sides of one.
    const compare = (name: keyof Visit, by: (one: number, other: number) => number) =>
      median(
        found.subject.map((visit, round) => by(visit[name], found.reference[round]?.[name] ?? Number.NaN)),
      );
    const ratioOf = (name: keyof Visit) => compare(name, (one, other) => one / other);
    const addedTo = (name: keyof Visit) => compare(name, (one, other) => one - other);
    const pageRatio = Math.max(ratioOf('paint'), ratioOf('load'));
    const [addedIdleMs, addedTasksMs] = [addedTo('idle'), addedTo('tasks')];
    const addedMs = Math.max(addedIdleMs, addedTasksMs);
    const verdicts = found.subject.map(({ verdict }) => verdict);
    const verdictP95Ms = percentile(verdicts, 0.95);
    return {
      pageRatio: rounded(pageRatio),
      addedIdleMs: rounded(addedIdleMs, 1),
      addedTasksMs: rounded(addedTasksMs, 1),
      ...Object.assign(
        {},
        ...(['paint', 'load', 'idle', 'blocked', 'tasks', 'scripts'] as const).map((name) =>
          medians(found, name),
        ),
      ),
      verdictMs: rounded(median(verdicts), 1),
      verdictP95Ms: rounded(verdictP95Ms, 1),
      ratio: rounded(
        Math.max(pageRatio / goals.page, addedMs / goals.addedMs, verdictP95Ms / goals.verdictMs),
      ),
    };
  } finally {
    await stage.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
