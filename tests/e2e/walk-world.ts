import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test';
import { totpAt } from '#domain/identity/second-factor/totp.ts';
import { callApi, demoPerson, openRuleByApi } from './demo-people.ts';
import { type Names, Person } from './person.ts';
import { SandboxPanel } from './sandbox-panel.ts';
import { plugIn } from './virtual-device.ts';
import type { Walker } from './walked-pages.ts';

/** Cookies and storage of somebody who is signed in. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

export interface WalkWorld {
  /** Has an account, and nothing else. */
  newcomer: Names;
  /** Has an authenticator app, and a recovery code for each walk that signs in. */
  guarded: Names & { recoveryCodes: readonly string[] };
  sessions: Record<'unverified' | 'unconfirmed', Session>;
  /** Addresses that are in mails, or that the first link of a page might not lead to. */
  links: Partial<Record<Walker, readonly string[]>>;
}

const password = 'a sentence of its own';
// A worker that failed on the way signs somebody else up.
const named = (role: string): Names => ({
  login: `E2e_${role}_${process.pid}`,
  email: `e2e-${role}-${process.pid}@example.org`,
  password,
});

/** Viewers of the demo: one is promised a reward, one is a guest, one forgot the password, and one stays signed in. */
const [PROMISED, GUEST, FORGETFUL, SIGNED_IN] = [1, 2, 4, 11];
/** Longer than a sign-in proves who it is. */
const UNCONFIRMED_MINUTES = 11;

interface Kind {
  kind_id: string;
  available: number;
}

const loginOf = (place: number): string => demoPerson(place).login.toLowerCase();

/** Of the demo’s viewers only the first has followed for so long, and meets such a rule at once. */
const LOYAL_DAYS = 1000;

/** Opens a random rule that a viewer meets at once, sends an item back, and admits a guest. Returns the rule’s id. */
async function playStreamer(page: Page): Promise<string> {
  const listed = (await (await callApi(page, '/items?page[size]=50')).json()).data as { attributes: Kind }[];
  const [first, second, back] = listed
    .map(({ attributes }) => attributes)
    .filter(({ available }) => available > 1)
    .map(({ kind_id }) => ({ kind_id, quantity: 1 }));
  const ruleId = await openRuleByApi(page, {
    name: 'Since the first stream',
    rule_type: 'random',
    follow_days: LOYAL_DAYS,
    claim_timeout_hours: 336,
    // More than are drawn: some can be removed.
    items: [first, second].map((kind) => ({ ...kind, quantity: 2 })),
  });
  const returned = await callApi(page, '/items/return', { items: [back] });
  expect(returned.ok(), await returned.text()).toBe(true);
  await callApi(page, '/channel-guests', { login: loginOf(GUEST) });
  return ruleId;
}

/** Starts a raffle that outlasts the walk, and returns its page. */
async function startRaffle(page: Page): Promise<string> {
  await page.goto('/raffles');
  await page.locator('[name="keyword"]').fill('demo');
  await page.locator('[name="minutes"]').fill('120');
  await page.getByRole('button', { name: 'Prepare a raffle' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  return (await page.getByRole('link', { name: 'Its public page' }).getAttribute('href')) ?? '';
}

/** One free piece of the streamer’s. */
async function someKind(page: Page): Promise<{ kind_id: string; quantity: number }[]> {
  const listed = (await (await callApi(page, '/items?page[size]=50')).json()).data as { attributes: Kind }[];
  const free = listed.find(({ attributes }) => attributes.available > 0);
  return free ? [{ kind_id: free.attributes.kind_id, quantity: 1 }] : [];
}

/** A message of somebody without an account and without JavaScript waits for its link to be opened. */
async function writeMessage(browser: Browser, panel: SandboxPanel): Promise<string> {
  const page = await browser.newPage({ javaScriptEnabled: false });
  const { login, email } = named('stranger');
  await page.goto('/contact_us');
  await page.locator('main [name="name"]').fill(login);
  await page.locator('main [name="email"]').fill(email);
  await page.locator('main [name="message"]').fill('How long does a deposit take?');
  await page.locator('main form button.btn--primary').click();
  await page.close();
  return panel.linkInMailTo(email);
}

/** Turns an authenticator app on, as somebody does who types the key instead of scanning it. */
async function turnAppOn({ page }: Person): Promise<string[]> {
  await page.goto('/profile/second-factor/app');
  await page.getByRole('button', { name: 'Show QR code' }).click();
  const key = (await page.getByRole('main').locator('.code code').innerText()).replaceAll(' ', '');
  await page.locator('[name="code"]').fill(totpAt(key, Date.now()));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.locator('.recovery-codes code').first().waitFor();
  return page.locator('.recovery-codes code').allInnerTexts();
}

/** Adds a passkey, which their device then makes. */
async function addPasskey({ page }: Person): Promise<void> {
  await plugIn(page);
  await page.goto('/profile/second-factor/passkeys/new');
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await page.waitForURL('**/profile/second-factor');
}

/** Disowns an act by the link of its mail, which freezes the account and signs its owner out. */
async function freeze({ page }: Person, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('main').locator('form button').last().click();
  await expect(page.getByRole('link', { name: 'Set a new password' })).toBeVisible();
}

/** Waits until a viewer is promised something, and returns its id. */
async function promisedTo(page: Page): Promise<string> {
  type Reward = { id: string; attributes: { state: string } };
  let found: Reward | undefined;
  await expect(async () => {
    const { data } = (await (await callApi(page, '/rewards')).json()) as { data: Reward[] };
    found = data.find(({ attributes }) => attributes.state === 'promised');
    expect(found).toBeDefined();
  }).toPass();
  return found?.id ?? '';
}

/** Claims a reward and accepts its offer on Steam. */
async function receive(page: Page, panel: SandboxPanel, rewardId: string): Promise<void> {
  const claimed = await callApi(page, '/claims', { reward_id: rewardId });
  expect(claimed.ok(), await claimed.text()).toBe(true);
  await panel.acceptOffer(`Demo viewer ${PROMISED}`);
  await expect(async () => {
    await page.goto(`/wins/${rewardId}`);
    await expect(page.locator('.win__stage')).toBeVisible({ timeout: 1000 });
  }).toPass();
}

/** Adds cases of which the demo world has no example, so that every page has something to show. */
async function prepareWalk(browser: Browser): Promise<WalkWorld> {
  const panel = new SandboxPanel(await browser.newPage());
  const enter = async (names: Names) => new Person(await browser.newPage(), panel, names);

  const newcomer = await enter(named('newcomer'));
  await newcomer.signUp();
  const unverified = await enter(named('unverified'));
  await unverified.register();
  const verify = await panel.linkInMailTo(unverified.names.email);
  const guarded = await enter(named('guarded'));
  await guarded.signUp();
  const recoveryCodes = await turnAppOn(guarded);
  await addPasskey(guarded);
  await freeze(guarded, await panel.linkInMailTo(guarded.names.email, '/auth/disown'));

  const streamer = await enter(demoPerson(0));
  await streamer.signIn();
  await streamer.speak('en');
  const ruleId = await playStreamer(streamer.page);
  const raffle = await startRaffle(streamer.page);
  await streamer.page.goto('/settings');
  await streamer.page.getByLabel('Name', { exact: true }).fill('Stream deck');
  await streamer.page.getByRole('button', { name: 'Create token' }).click();
  await expect(streamer.page.locator('code', { hasText: /^keepsake_/ })).toBeVisible();
  const disown = await panel.linkInMailTo(streamer.names.email, '/auth/disown');

  const promised = await enter(demoPerson(PROMISED));
  await promised.signIn();
  const wonId = await promisedTo(promised.page);
  await receive(promised.page, panel, wonId);
  await openRuleByApi(streamer.page, {
    name: 'Since the second stream',
    follow_days: LOYAL_DAYS,
    items: await someKind(streamer.page),
  });
  const rewardId = await promisedTo(promised.page);

  const signedIn = await enter(demoPerson(SIGNED_IN));
  await signedIn.signIn();
  const forgetful = await enter(demoPerson(FORGETFUL));
  await forgetful.page.goto('/auth/forgot-password');
  await forgetful.page.locator('[name="email"]').fill(forgetful.names.email);
  await forgetful.page.locator('form[method="post"] button.btn--primary').click();
  const reset = await panel.linkInMailTo(forgetful.names.email);
  const confirm = await writeMessage(browser, panel);
  await panel.advance({ minutes: UNCONFIRMED_MINUTES });

  const sessions = {
    unverified: await unverified.page.context().storageState(),
    unconfirmed: await signedIn.page.context().storageState(),
  };
  for (const context of browser.contexts()) await context.close();
  return {
    newcomer: newcomer.names,
    guarded: { ...guarded.names, recoveryCodes },
    sessions,
    links: {
      signedOut: [
        ...['/channels/demo_streamer', `/channels/demo_streamer/${ruleId}`, `/proof/${ruleId}`],
        ...[reset, confirm, disown, raffle],
      ],
      unverified: [verify],
      viewer: [`/wins/${wonId}`],
      streamer: [`/rules/${ruleId}`, `/rules/who-got-what/${rewardId}/stop`],
    },
  };
}

/** The walk’s world, made once: a worker that starts again after a failure finds it. */
export async function openWalkWorld(browser: Browser): Promise<WalkWorld> {
  const notes = join(process.env.E2E_DATA ?? '', 'walk-world.json');
  if (existsSync(notes)) return JSON.parse(readFileSync(notes, 'utf8')) as WalkWorld;
  const world = await prepareWalk(browser);
  writeFileSync(notes, JSON.stringify(world));
  return world;
}
