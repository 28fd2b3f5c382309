import { rmSync } from 'node:fs';
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { type Database, openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { attempts } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { requestAccess } from '#domain/identity/access/request-access.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { minute } from '#domain/kernel/time.ts';
import { createVault } from '#platform/vault.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { findStrays } from './find-strays.ts';
import { findViolations, overflowOf } from './find-violations.ts';
import { startOwnWeb } from './own-web.ts';

const password = 'a sentence of its own';
const email = 'device@example.org';
const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const program = 'A speaker in the living room, beside the large window';

let web: Awaited<ReturnType<typeof startOwnWeb>>;
let db: Database;
let store: string;
/** A code that a program showed too long ago. */
let late: string;

test.beforeAll(async () => {
  const { file, folder } = await makeSqliteFile('disk');
  store = folder;
  sealColumnsWith(createVault(Buffer.alloc(32).toString('base64')));
  db = await openSqlite(file);
  late = (await requestAccess(db, { program }, Date.now() - 11 * minute)).userCode;
  web = await startOwnWeb(folder, 'nobody@example.org', []);
});

/** Each test has the limits of an address for itself. */
test.beforeEach(() => db.transaction((tx) => tx.delete(attempts)));

test.afterAll(async () => {
  await web.stop();
  await db.close();
  rmSync(store, { recursive: true, force: true });
});

/** Signs a new person in, who proved this long ago who they are. */
async function signIn(context: BrowserContext, agoMs = 0): Promise<{ userId: string }> {
  const { userId } = await addPerson(db, { nowMs: Date.now() });
  const { token } = await openSession(db, { userId, userAgent: 'test' }, Date.now() - agoMs);
  const value = encodeURIComponent(Buffer.from(JSON.stringify(token)).toString('base64'));
  await context.addCookies([{ name: 'keepsake_session', value, url: web.url }]);
  return { userId };
}

/** Plays a program without a keyboard, over HTTP. */
async function ask(page: Page) {
  const post = async (path: string, form: Record<string, string>) => {
    const answer = await page.request.post(path, { form: { client_id: program, ...form } });
    return { status: answer.status(), body: await answer.json() };
  };
  const { body } = await post('/oauth/device_authorization', {});
  return {
    userCode: String(body.user_code),
    /** The address in the program's QR code. */
    path: String(body.verification_uri_complete).replace(/^https?:\/\/[^/]+/, ''),
    poll: () => post('/oauth/token', { grant_type: grant, device_code: String(body.device_code) }),
  };
}

/** By names alone, because the words depend on the language. */
const field = (page: Page) => page.locator('[name="user_code"]:not([type="hidden"])');
async function enter(page: Page, code: string): Promise<void> {
  await field(page).fill(code);
  await field(page).press('Enter');
}
/** Enters a code that is refused. */
async function enterInVain(page: Page, code: string, status = 400): Promise<void> {
  const answer = page.waitForResponse(
    (each) => each.request().method() === 'POST' && /^\/device(\.data)?$/.test(new URL(each.url()).pathname),
  );
  await enter(page, code);
  expect((await answer).status()).toBe(status);
  await expect(page.locator('.field__error')).toHaveText(/\w|[а-я]/);
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(field(page)).toHaveValue(code);
}
const decide = (page: Page, decision: 'allow' | 'refuse') =>
  page.locator(`button[name="decision"][value="${decision}"]`);

async function expectSound(page: Page, state: string, hasScripts = true): Promise<void> {
  expect.soft(await overflowOf(page), state).toBe(0);
  // Without scripts nothing else can be measured.
  if (!hasScripts) return;
  await page.evaluate(() => document.fonts.ready);
  expect.soft(await findViolations(page), state).toEqual([]);
  expect.soft(await findStrays(page), state).toEqual([]);
}

interface Look {
  language: 'en' | 'ru';
  width: number;
  theme: 'light' | 'dark';
  hasScripts: boolean;
}
const looks: Look[] = [
  { language: 'en', width: 1280, theme: 'light', hasScripts: true },
  { language: 'ru', width: 1280, theme: 'dark', hasScripts: true },
  { language: 'en', width: 360, theme: 'dark', hasScripts: true },
  { language: 'ru', width: 360, theme: 'light', hasScripts: false },
];

async function openWindow(browser: Browser, { language, width, theme, hasScripts }: Look): Promise<Page> {
  const context = await browser.newContext({
    ...{ baseURL: web.url, viewport: { width, height: 800 }, colorScheme: theme },
    ...{ javaScriptEnabled: hasScripts, locale: language === 'ru' ? 'ru-RU' : 'en-US' },
  });
  return context.newPage();
}

for (const look of looks) {
  const { language, width, theme, hasScripts } = look;
  const script = hasScripts ? 'JavaScript' : 'no JavaScript';
  test(`A code is entered, compared and decided: ${language}, ${width} px, ${theme}, ${script}`, async ({
    browser,
  }) => {
    const page = await openWindow(browser, look);
    await page.goto('/device?user_code=BCDF-GHJK');
    await expectSound(page, 'signed out', hasScripts);

    await signIn(page.context());
    await page.goto('/device');
    await expectSound(page, 'to be entered', hasScripts);
    await enterInVain(page, 'BCDF-GHJK');
    await expectSound(page, 'wrong', hasScripts);
    await enterInVain(page, late);
    await expectSound(page, 'expired', hasScripts);

    const { userCode, poll } = await ask(page);
    await enter(page, userCode.replace('-', '').toLowerCase());
    await expect(page.locator('.code--big code')).toHaveText(userCode);
    await expect(page.getByRole('main')).toContainText(program);
    await expectSound(page, 'to be compared', hasScripts);
    expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
    await decide(page, 'allow').click();
    await expect(page.locator('.callout--success')).toBeVisible();
    await expectSound(page, 'allowed', hasScripts);

    const other = await ask(page);
    await page.goto(other.path);
    await expect(field(page)).toHaveValue(other.userCode);
    await field(page).press('Enter');
    await decide(page, 'refuse').click();
    await expect(page.locator('.callout--info')).toBeVisible();
    await expectSound(page, 'refused', hasScripts);
    expect(await other.poll()).toMatchObject({ status: 400, body: { error: 'access_denied' } });
    await page.context().close();
  });
}

const plain: Look = { language: 'en', width: 360, theme: 'dark', hasScripts: true };

test('An allowed program gets its token, and is listed with the tokens', async ({ browser }) => {
  const page = await openWindow(browser, plain);
  await signIn(page.context());
  const { path, poll } = await ask(page);
  await page.goto(path);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Allow access' }).click();
  await expect(page.getByText('Access allowed')).toBeVisible();
  const { status, body } = await poll();
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
  const headers = { Authorization: `Bearer ${body.access_token}` };
  const { request } = await browser.newContext();
  expect((await request.get(new URL('/api/v1/rewards', web.url).href, { headers })).status()).toBe(200);
  await page.goto('/settings#tokens');
  await expect(page.getByRole('main')).toContainText(program);
  await page.context().close();
});

test('Somebody signed out comes back to the code, and an old session is asked who uses it', async ({
  browser,
}) => {
  const page = await openWindow(browser, plain);
  const { userId } = await signIn(page.context(), 11 * minute);
  const passwordHash = await hashPassword(password);
  await db.transaction((tx) => tx.update(users).set({ passwordHash, email }).where(eq(users.id, userId)));
  const { userCode, path } = await ask(page);
  await page.goto(path);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL('**/profile/confirm?**');
  await page.locator('[name="current"]').fill(password);
  await page.locator('[name="current"]').press('Enter');
  await page.waitForURL('**/device?**');
  await expect(field(page)).toHaveValue(userCode);

  await page.context().clearCookies();
  await page.goto(path);
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('[name="password"]').press('Enter');
  await page.waitForURL('**/device?**');
  await expect(field(page)).toHaveValue(userCode);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('button', { name: 'Allow access' })).toBeVisible();
  await page.context().close();
});

test('Guessing ends with a time to wait, and keeps what was typed', async ({ browser }) => {
  const page = await openWindow(browser, plain);
  await signIn(page.context());
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  for (let tried = 0; tried < 20; tried++)
    await page.request.post('/device', { form: { user_code: 'BCDF-GHJK' }, headers });
  await page.goto('/device');
  await enterInVain(page, 'BCDF-GHJK', 429);
  await expect(page.getByText(/Too many/)).toBeVisible();
  await expectSound(page, 'too many');
  await page.context().close();
});
