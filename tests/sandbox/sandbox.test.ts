import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningSandbox, startSandbox } from '#sandbox/sandbox.ts';
import { attachCard, demoCards } from '#sandbox/stripe/cards.ts';
import { createPrice } from '#sandbox/stripe/catalogue.ts';
import { createCustomer } from '#sandbox/stripe/customers.ts';
import { createDirectly } from '#sandbox/stripe/subscription-calls.ts';

const weekMs = 7 * 86_400_000;
let directory: string;
let sandbox: RunningSandbox | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keepsake-sandbox-'));
});

afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function start(options: Partial<Parameters<typeof startSandbox>[0]> = {}): Promise<RunningSandbox> {
  sandbox = await startSandbox({ directory, ...options });
  return sandbox;
}

async function stop(): Promise<void> {
  await sandbox?.close();
  sandbox = undefined;
}

const readJson = async (name: string) => JSON.parse(await readFile(join(directory, name), 'utf8'));

test('Every part of the sandbox answers', async () => {
  const { urls, steam } = await start();
  expect((await fetch(`${urls.clock}/now`)).status).toBe(200);
  expect((await fetch(`${urls.panel}/world.json`)).status).toBe(200);
  expect((await fetch(`${urls.twitch}/mock/users`)).status).toBe(401);
  const [kind] = steam.kinds();
  expect((await fetch(`${urls.steamHttp}/images/${kind?.icon_url}`)).headers.get('content-type')).toMatch(
    /^image\//,
  );
  expect(await createTransport({ url: urls.smtp }).verify()).toBe(true);
});

test('The product gets exactly the variables it needs, in a file that only the owner can read', async () => {
  const { environment, urls, application, stripe } = await start();
  const { port } = new URL(urls.twitch);
  expect(await readJson('product.env.json')).toEqual(environment);
  expect(environment).toEqual({
    TWITCH_CLIENT_ID: application.clientId,
    TWITCH_CLIENT_SECRET: application.clientSecret,
    TWITCH_BOT_LOGIN: 'keepsake_demo_bot',
    TWITCH_AUTH_URL: `http://localhost:${port}/auth`,
    TWITCH_IRC_URL: `ws://localhost:${port}`,
    TWURPLE_MOCK_API_PORT: port,
    STEAM_BOTS_FILE: join(directory, 'steam-bots.json'),
    STEAM_OPENID_URL: `${urls.steamHttp}/openid/login`,
    STEAM_HTTP_PROXY: urls.steamProxy,
    STEAM_COMMUNITY_URL: `${urls.panel}/steam/`,
    TWITCH_SITE_URL: `${urls.panel}/twitch/`,
    STEAM_IMAGE_URL: `${urls.steamHttp}/images/`,
    STEAM_APPLIED_IMAGE_URL: `${urls.steamHttp}/images/applied/`,
    NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem'),
    SMTP_URL: urls.smtp,
    KEEPSAKE_CLOCK_URL: urls.clock,
    STRIPE_SECRET_KEY: stripe.state.secretKey,
    STRIPE_WEBHOOK_SECRET: expect.stringMatching(/^whsec_\w{32}$/),
    STRIPE_API_URL: urls.stripe,
    PUSH_SERVICE_URL: urls.push,
  });
  for (const name of [
    'product.env.json',
    'steam-bots.json',
    'twitch-application.json',
    'twitch.json',
    'steam.json',
  ]) {
    expect([name, (await stat(join(directory, name))).mode & 0o777]).toEqual([name, 0o600]);
  }
});

test('The product’s chat account exists, and the listed bots can log in', async () => {
  const { environment, twitch, steam } = await start();
  expect(twitch.userByLogin(environment.TWITCH_BOT_LOGIN)).toBeDefined();
  const bots = await readJson('steam-bots.json');
  expect(bots.length).toBeGreaterThan(0);
  for (const bot of bots)
    expect(steam.userByAccountName(bot.accountName)?.login?.password).toBe(bot.password);
});

test('A restart continues with the same world', async () => {
  const first = await start();
  const [streamer] = first.twitch.users();
  const [person] = first.steam.users();
  first.clock.advance(weekMs);
  first.twitch.goLive(streamer?.id ?? '', { title: 'Still here' });
  const rotated = first.steam.rotateTradeToken(person?.steamId ?? '').tradeToken;
  await createTransport({ url: first.urls.smtp }).sendMail({
    from: 'a@b.example',
    to: 'c@d.example',
    subject: 'Kept',
    text: 'x',
  });
  const token = first.twitch.tokens.issue({
    clientId: first.application.clientId,
    userId: streamer?.id ?? '',
    scopes: [],
  });
  const before = { application: first.application, ca: await readFile(join(directory, 'ca.pem'), 'utf8') };
  await stop();

  const again = await start();
  expect(again.clock.offsetMs()).toBe(weekMs);
  expect(again.twitch.streamOf(streamer?.id ?? '')?.title).toBe('Still here');
  expect(again.twitch.tokens.findValid(token.accessToken)).not.toBeNull();
  expect(again.steam.userBySteamId(person?.steamId ?? '')?.tradeToken).toBe(rotated);
  expect(again.mailbox.list().map((mail) => mail.subject)).toEqual(['Kept']);
  expect(again.application).toEqual(before.application);
  expect(await readFile(join(directory, 'ca.pem'), 'utf8')).toBe(before.ca);
});

test('A change is saved while the world runs', async () => {
  const { urls } = await start();
  await fetch(`${urls.clock}/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms: 1234 }),
  });
  await expect.poll(() => readJson('clock.json')).toEqual({ offsetMs: 1234 });
});

test('Configured credentials of the application win over stored ones', async () => {
  await start();
  await stop();
  const { application } = await start({ clientId: 'given-id', clientSecret: 'given-secret' });
  expect(application).toEqual({ clientId: 'given-id', clientSecret: 'given-secret' });
});

test('Advancing the clock makes offers expire at once', async () => {
  const { clock, steam } = await start();
  const bot = steam.users().find((person) => person.login);
  const giver = steam.users().find((person) => person.items.length > 0);
  const item = giver?.items.find((one) =>
    steam.kinds().some((kind) => kind.classid === one.classid && kind.tradable === 1),
  );
  if (!bot || !giver || !item) throw new Error('The seeded world lacks a bot or a giver.');
  steam.acknowledgeProtection(bot.steamId);
  steam.send(bot.steamId, { to: giver.steamId, token: giver.tradeToken, give: [], receive: [item] });
  const waiting: number[] = [];
  steam.attach(bot.steamId, { logonId: 0, notify: (offers) => waiting.push(offers), kick() {}, close() {} });
  clock.advance(15 * 86_400_000);
  expect(waiting.length).toBeGreaterThan(0);
  expect(steam.offers()[0]?.state).toBe(5);
});

test('A leap of the clock renews subscriptions, also after a restart', async () => {
  const { stripe } = await start();
  stripe.transaction(() => {
    const price = createPrice(stripe, {
      currency: 'eur',
      unit_amount: 500,
      product_data: { name: 'Streamer basic' },
      recurring: { interval: 'month' },
    });
    const customer = createCustomer(stripe, { name: 'Demo streamer' });
    const card = attachCard(stripe, demoCards[0] as (typeof demoCards)[number], customer.id);
    createDirectly(stripe, {
      customer: customer.id,
      items: [{ price: price.id }],
      default_payment_method: card.id,
    });
  });
  await stop();
  const restarted = await start();
  restarted.clock.advance(32 * 86_400_000);
  expect(restarted.stripe.all('invoice').map(({ status }) => status)).toEqual(['paid', 'paid']);
});

test('A damaged file is reported and left unchanged', async () => {
  await start();
  await stop();
  await writeFile(join(directory, 'steam.json'), '{"version": 9}');
  await expect(start()).rejects.toThrow(/steam\.json cannot be used .*Move it away/);
  await writeFile(join(directory, 'clock.json'), '{"offsetMs": -5}');
  await expect(start()).rejects.toThrow(/clock\.json cannot be used/);
  await writeFile(join(directory, 'clock.json'), 'not JSON');
  await expect(start()).rejects.toThrow(/clock\.json is not JSON/);
  expect(await readFile(join(directory, 'clock.json'), 'utf8')).toBe('not JSON');
});

test('A taken port is reported, and parts already started release theirs', async () => {
  const first = await start();
  const clock = Number(new URL(first.urls.clock).port);
  await stop();
  const { urls } = await start();
  const panel = Number(new URL(urls.panel).port);
  const other = await mkdtemp(join(tmpdir(), 'keepsake-sandbox-'));
  const taken = `The port ${panel} for the panel is taken. Free it, or set SANDBOX_PORTS_FROM to another range.`;
  await expect(startSandbox({ directory: other, ports: { clock, panel } })).rejects.toThrow(taken);
  const second = await startSandbox({ directory: other, ports: { clock } });
  expect(second.urls.clock).toBe(`http://127.0.0.1:${clock}`);
  await second.close();
  await rm(other, { recursive: true, force: true });
});
