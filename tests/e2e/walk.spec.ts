import { type Browser, type ConsoleMessage, expect, type Page, test } from '@playwright/test';
import { en } from '#app/locales/en.ts';
import { pairwise } from '#tests/support/pairwise.ts';
import { demoPerson, giveManyItems, OPERATOR, openManyRules } from './demo-people.ts';
import { findViolations, overflowOf } from './find-violations.ts';
import { MAX_SHIFT, shiftOf, watchShifts } from './shifts.ts';
import { asDemoStreamer } from './taking-turns.ts';
import { openWalkWorld, type Session, type WalkWorld } from './walk-world.ts';
import { routeOf, statusOf, tourOf, type Walker } from './walked-pages.ts';

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

/** Texts that were not found are shown by their keys. */
const key = new RegExp(`\\b(?:${Object.keys(en).join('|')})\\.[a-z]\\w+`);

async function pageOf(
  browser: Browser,
  { language, width, theme, sight }: Walk,
  session?: Session,
): Promise<Page> {
  const context = await browser.newContext({
    ...(session && { storageState: session }),
    viewport: { width: sight === 'zoomed' ? 720 : Number(width), height: 900 },
    forcedColors: sight === 'forced' ? 'active' : 'none',
    colorScheme: theme,
    locale: language === 'ru' ? 'ru-RU' : 'en-US',
  });
  await watchShifts(context);
  const page = await context.newPage();
  if (sight === 'zoomed') {
    // As the browser's own setting does it, which media queries in em follow.
    const session = await context.newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
  }
  return page;
}

/** Sends a page's own form by its main button. By names alone, because the words depend on the language. */
const send = (page: Page) => page.getByRole('main').locator('form[method="post"] button').last().click();

/** Gives address and password, which leads to the dashboard, or to the second step. */
async function signIn(
  page: Page,
  { email, password }: { email: string; password: string },
  next = 'dashboard',
): Promise<void> {
  await page.goto('/auth/signin');
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('[name="password"]').press('Enter');
  await page.waitForURL(new RegExp(`/${next}`));
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

const pathOf = (address: string): string => new URL(address, 'http://localhost').pathname;

/** Lists a page's faults and its status. The browser reports the status of a missing page as an error too. */
async function faultsOf(page: Page, address: string) {
  const errors: string[] = [];
  const note = (text: string) => errors.push(text);
  const isOwnStatus = (message: ConsoleMessage) =>
    message.location().url === page.url() && message.text().startsWith('Failed to load resource');
  page.on(
    'console',
    (message) => message.type() === 'error' && !isOwnStatus(message) && note(message.text()),
  );
  page.on('pageerror', (error) => note(String(error)));
  const response = await page.goto(address, { waitUntil: 'load' });
  const shift = await shiftOf(page);
  const violations = await findViolations(page);
  const text = await page.locator('body').innerText();
  page.removeAllListeners('console');
  page.removeAllListeners('pageerror');
  return {
    path: pathOf(page.url()),
    status: response?.status(),
    violations,
    errors,
    overflow: await overflowOf(page),
    keys: text.match(key)?.[0] ?? null,
    shifts: shift > MAX_SHIFT ? shift : 0,
  };
}

/** The addresses that a page leads to: by links, and by forms that confirm a pick. */
function addressesOn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const links = [...document.querySelectorAll('a[href^="/"]')].map(
      (link) => link.getAttribute('href') ?? '',
    );
    const confirmed = { '/items': '/items/deposit', '/items/custody': '/items/return' }[location.pathname];
    const kind = document.querySelector<HTMLInputElement>('main [name="item"]')?.value;
    if (!confirmed || !kind) return links;
    return [...links, `${confirmed}?${new URLSearchParams({ item: kind, [`item:${kind}`]: '1' })}`];
  });
}

/** Opens all pages of a tour, those with an id by the first link that leads there. Returns those without a link. */
async function walkTour(
  page: Page,
  walker: Walker,
  { links, strays }: { links: readonly string[]; strays: boolean },
) {
  const { addresses, byLink } = tourOf(walker);
  const left = new Set(byLink);
  const known = new Map<string, string>();
  const learn = (address: string) => {
    const route = routeOf(address);
    if (route !== undefined && left.has(route) && !known.has(route)) known.set(route, address);
  };
  const open = async (address: string) => {
    const { path, ...faults } = await faultsOf(page, address);
    // The walk goes on: one run names all faults.
    const status = statusOf(address);
    expect
      .soft(faults, address)
      .toEqual({ status, violations: [], errors: [], overflow: 0, keys: null, shifts: 0 });
    if (!strays) expect.soft(path).toBe(pathOf(address));
    for (const each of await addressesOn(page)) learn(each);
  };
  for (const link of links) learn(link);
  for (const address of addresses) await open(address);
  for (let [next] = known; next; [next] = known) {
    const [route, address] = next;
    known.delete(route);
    left.delete(route);
    await open(address);
  }
  return [...left];
}

let world: WalkWorld;

test.beforeAll(async ({ browser }) => {
  world = await asDemoStreamer(() => openWalkWorld(browser));
});

/** A look at all pages of one more walker, in this walk's browser. */
type Look = (walker: Walker) => Promise<void>;

/**
 * Opens the second step between its two halves, and pages that only somebody with an authenticator app sees.
 */
async function walkGuarded(page: Page, recoveryCode: string, look: Look): Promise<void> {
  await signIn(page, world.guarded, 'auth/second-step');
  await look('halfway');
  await page.locator('[name="code"]').fill(recoveryCode);
  await page.locator('form[method="post"] button.btn--primary').click();
  await page.waitForURL('**/dashboard');
  await look('guarded');
}

/** Stops sending for as long as the operator's page of a stopped instance is looked at. */
async function walkOperator(page: Page, look: Look): Promise<void> {
  await signIn(page, demoPerson(OPERATOR));
  await look('operator');
  await page.goto('/operator/stop');
  await send(page);
  await page.waitForURL('**/operator');
  try {
    await look('halted');
  } finally {
    await page.goto('/operator/resume');
    await send(page);
    await page.waitForURL('**/operator');
  }
}

interface Companion {
  session?: Session;
  play: (page: Page, look: Look) => Promise<void>;
}

/** Walks of these walkers take along people whose sessions are of another kind. */
function companionsOf(walk: Walk): Companion[] {
  const place = walks.filter(({ role }) => role === walk.role).indexOf(walk);
  const code = world.guarded.recoveryCodes[place] ?? '';
  const { unverified, unconfirmed } = world.sessions;
  const companions: Partial<Record<Walk['role'], Companion[]>> = {
    signedOut: [
      { session: unverified, play: (_, look) => look('unverified') },
      { play: (page, look) => walkGuarded(page, code, look) },
    ],
    viewer: [{ session: unconfirmed, play: (_, look) => look('unconfirmed') }, { play: walkOperator }],
  };
  return companions[walk.role] ?? [];
}

async function walkCompanion(browser: Browser, walk: Walk, { session, play }: Companion): Promise<void> {
  const page = await pageOf(browser, walk, session);
  await page.goto('/faq');
  await play(page, async (walker) => {
    await choose(page, 'language', walk.language);
    await choose(page, 'theme', walk.theme);
    const unreached = await walkTour(page, walker, { links: world.links[walker] ?? [], strays: false });
    expect.soft(unreached).toEqual([]);
  });
  await page.context().close();
}

for (const walk of walks) {
  const { role, amount, language, width, theme, sight } = walk;
  test(`${role} with ${amount}: ${language}, ${width} px, ${theme}, ${sight}`, async ({ browser }) => {
    const page = await pageOf(browser, walk);
    const isNewcomer = role !== 'signedOut' && amount === 'empty';
    const look = async () => {
      const unreached = await walkTour(page, role, {
        links: isNewcomer ? [] : (world.links[role] ?? []),
        strays: isNewcomer,
      });
      // A newcomer has nothing of which a page could be opened.
      if (!isNewcomer) expect.soft(unreached).toEqual([]);
    };
    await asDemoStreamer(async () => {
      if (amount === 'many') {
        const owner = await browser.newPage();
        await signIn(owner, demoPerson(0));
        await openManyRules(owner);
        await giveManyItems(owner);
        await owner.close();
      }
      if (role !== 'signedOut') {
        await signIn(page, isNewcomer ? world.newcomer : demoPerson(role === 'viewer' ? 1 : 0));
        await choose(page, 'language', language);
        await choose(page, 'theme', theme);
      }
      await look();
    });
    await page.context().close();
    for (const companion of companionsOf(walk)) await walkCompanion(browser, walk, companion);
  });
}
