import { type Browser, expect, type Page, test } from '@playwright/test';
import { pairwise } from '#tests/support/pairwise.ts';
import { asDemoStreamer, demoPerson, giveManyItems, openManyRules } from './demo-people.ts';
import { findViolations, overflowOf } from './find-violations.ts';
import { Person } from './person.ts';
import { SandboxPanel } from './sandbox-panel.ts';

type Walk = {
  language: 'en' | 'ru';
  width: '1440' | '390';
  role: 'signedOut' | 'viewer' | 'streamer' | 'both';
  amount: 'data' | 'empty' | 'many';
  theme: 'dark' | 'light';
  /** `forced`: the system chooses the colours. `zoomed`: half the window with letters twice as large. */
  sight: 'plain' | 'forced' | 'zoomed';
};

const walks = pairwise<Walk>({
  language: ['en', 'ru'],
  width: ['1440', '390'],
  role: ['signedOut', 'viewer', 'streamer', 'both'],
  amount: ['data', 'empty', 'many'],
  theme: ['dark', 'light'],
  sight: ['plain', 'forced', 'zoomed'],
});

const viewerPages = ['/dashboard', '/browseChannels', '/rewardProgress', '/rewardHistory', '/profile'];
const streamerPages = [
  '/dashboard?view=streamer',
  '/items',
  '/items/custody',
  '/rules',
  '/rules/new',
  '/rules/who-got-what',
  '/transfers',
  '/billing',
];
const pages: Record<Walk['role'], readonly string[]> = {
  signedOut: ['/', '/auth/signin', '/auth/signup', '/faq', '/contact_us', '/api/docs'],
  viewer: viewerPages,
  streamer: streamerPages,
  // The same person as the streamer, on what that one did not open.
  both: ['/dashboard', '/rewardProgress', '/settings', '/settings/tokens', '/channel', '/channel/guests'],
};

const MAX_SHIFT = 0.02;

/** Texts that were not found are shown by their keys. */
const key = /\b(?:common|errors|items|rules|rewards|progress|transfers|settings|dashboard|billing)\.[a-z]\w+/;

async function pageOf(browser: Browser, { language, width, theme, sight }: Walk): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: sight === 'zoomed' ? 720 : Number(width), height: 900 },
    forcedColors: sight === 'forced' ? 'active' : 'none',
    colorScheme: theme,
    locale: language === 'ru' ? 'ru-RU' : 'en-US',
  });
  await context.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
      for (const entry of list.getEntries() as Shift[])
        if (!entry.hadRecentInput) (window as unknown as { shift: number }).shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const page = await context.newPage();
  if (sight === 'zoomed') {
    // As the browser's own setting does it, which media queries in em follow.
    const session = await context.newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
  }
  return page;
}

/** Signs in by names alone, because the words depend on the language. */
async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/auth/signin');
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('form[method="post"] button.btn--primary').click();
  await page.waitForURL('**/dashboard');
}

const choose = (page: Page, what: 'language' | 'theme', value: string) =>
  page.evaluate(
    ([path, chosen]) =>
      fetch(`/${path}`, {
        method: 'POST',
        body: new URLSearchParams({ [path as string]: chosen as string }),
      }),
    [what, value],
  );

async function faultsOf(page: Page, path: string) {
  const errors: string[] = [];
  const note = (text: string) => errors.push(text);
  page.on('console', (message) => message.type() === 'error' && note(message.text()));
  page.on('pageerror', (error) => note(String(error)));
  await page.goto(path, { waitUntil: 'load' });
  await page.evaluate(() => document.fonts.ready);
  const violations = await findViolations(page);
  const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift);
  const text = await page.locator('body').innerText();
  page.removeAllListeners('console');
  page.removeAllListeners('pageerror');
  return {
    violations,
    errors,
    overflow: await overflowOf(page),
    keys: text.match(key)?.[0] ?? null,
    shifts: shift > MAX_SHIFT ? shift : 0,
  };
}

// A worker that starts again after a failure signs somebody else up.
const newcomer = {
  login: `E2e_newcomer_${process.pid}`,
  email: `e2e-newcomer-${process.pid}@example.org`,
  password: 'a sentence of its own',
};

test.beforeAll(async ({ browser }) => {
  const [forPanel, own] = [await browser.newPage(), await browser.newPage()];
  await new Person(own, new SandboxPanel(forPanel), newcomer).signUp();
  for (const page of [forPanel, own]) await page.close();
});

for (const walk of walks) {
  const { role, amount, language, width, theme, sight } = walk;
  test(`${role} with ${amount}: ${language}, ${width} px, ${theme}, ${sight}`, async ({ browser }) => {
    const page = await pageOf(browser, walk);
    // A channel has a public page once it has a rule.
    const channel = role === 'signedOut' && amount === 'many' ? ['/channels/demo_streamer'] : [];
    const look = async () => {
      for (const path of [...pages[role], ...channel])
        expect(await faultsOf(page, path), path).toEqual({
          violations: [],
          errors: [],
          overflow: 0,
          keys: null,
          shifts: 0,
        });
    };
    await asDemoStreamer(async () => {
      if (amount === 'many') {
        const owner = await browser.newPage();
        await signIn(owner, demoPerson(0));
        await openManyRules(owner);
        await giveManyItems(owner);
        await owner.close();
      }
      if (role === 'signedOut') return look();
      const person = amount === 'empty' ? newcomer : demoPerson(role === 'viewer' ? 1 : 0);
      await signIn(page, person);
      await choose(page, 'language', language);
      await choose(page, 'theme', theme);
      await look();
    });
    await page.context().close();
  });
}
