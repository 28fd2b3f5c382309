import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';
import { stopSending } from '#domain/bot/stop-sending.ts';
import { sendMessage } from '#domain/contact/send-message.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { operatorAddress } from '../support/honest-forms.ts';
import { mailedTokens, member, newcomer, signUpForm } from '../support/member.ts';
import { idIn } from '../support/owner.ts';
import { routeModules } from '../support/route-modules.ts';
import { setSellingWeb } from '../support/selling.ts';
import { visitorOf } from '../support/signed-in.ts';
import { type Page, Reader, readerLike } from '../support/site.ts';
import { Visitor } from '../support/visitor.ts';
import { turnAppOn } from '../support/with-authenticator.ts';
import { type HostileWorld, hostile, hostileAsset, hostileWorld } from './hostile-world.ts';
import { dangersIn, escaped, turnedTextsIn } from './markup.ts';

const bot = await startFakeBot();
const closeStripe = await setSellingWeb({
  TWITCH_SITE_URL: 'https://twitch.example/',
  BOT_URL: bot.url,
  TWITCH_CLIENT_ID: 'demo',
  TWITCH_CLIENT_SECRET: 'demo',
  OPERATOR_ACCOUNT: operatorAddress,
});
afterAll(() => Promise.all([bot.stop(), closeStripe()]));

let world: HostileWorld;
beforeAll(async () => {
  world = await hostileWorld();
  // The bot passes on whatever Steam says about items.
  const inventory = [{ ...hostileAsset(), tradable: true }];
  for (const { steamId } of await (await database()).read.select().from(steamAccounts))
    bot.inventories.set(steamId, inventory);
});

/** Somebody with a hostile name and a second factor. */
async function protectedPerson() {
  const person = await member({ ...signUpForm(), name: hostile('myName') });
  await turnAppOn(person.visitor);
  return person;
}

let operator: ReturnType<typeof member> | null = null;
async function readerOfOperator() {
  operator ??= member(signUpForm({ email: operatorAddress, name: hostile('myName') }));
  return readerLike((await operator).visitor);
}
async function readerWhileStopped() {
  const times = { nowMs: Date.now(), systemMs: Date.now() };
  await stopSending(await database(), { operatorId: 'command line' }, times);
  return readerOfOperator();
}

/** The hostile world's main person, and other readers of pages. */
const readers = {
  member: async () => readerLike(world.visitor),
  stale: async () => {
    const visitor = await visitorOf(world.userId);
    await confirmedAgo(visitor, hour);
    return readerLike(visitor);
  },
  guest: async () => new Reader('en'),
  protected: async () => readerLike((await protectedPerson()).visitor),
  frozen: async () => {
    const { visitor, email } = await member({ ...signUpForm(), name: hostile('myName') });
    await (await database()).transaction(async (tx) => {
      await tx.update(users).set({ frozenAtMs: Date.now() }).where(eq(users.email, email));
    });
    return readerLike(visitor);
  },
  halfway: async () => {
    const { email } = await protectedPerson();
    const visitor = new Visitor();
    const form = { email, password: signUpForm().password };
    await visitor.call(signInAction, '/auth/signin', { form });
    return readerLike(visitor);
  },
  operator: readerOfOperator,
  stopped: readerWhileStopped,
  newcomer: async () => readerLike((await newcomer({ ...signUpForm(), name: hostile('myName') })).visitor),
};
type Who = keyof typeof readers;

const picked = `?item=${kindKey({ appId: 730, marketHashName: hostile('market') })}`;
const shell = 'myName myPicture';
const item = 'item icon exterior typeLine';

/** Every page, with the person whose names it shows, and the query that its URL needs for that. */
const pages: Record<string, { draws: string; who?: Who; query?: string; status?: number }> = {
  '/': {
    draws: `${shell} icon item myGame myLogin myTitle myTwitch otherGame otherLogin otherPicture otherTitle otherTwitch`,
  },
  '/faq': { draws: shell },
  '/terms_of_service': { draws: shell },
  '/privacy_policy': { draws: shell },
  '/cookie_policy': { draws: shell },
  '/help': { draws: shell },
  '/contact_us': { draws: shell },
  '/contact_us/confirm': { draws: shell, status: 404 },
  '/email/verify': { draws: '', who: 'newcomer' },
  '/email/unverified': { draws: '', who: 'newcomer' },
  '/extension/code': { draws: shell },
  '/device': { draws: shell },
  '/extension/success': { draws: shell, query: '?account=twitch' },
  '/extension/failed': { draws: shell },
  '/auth/signup': { draws: '', who: 'guest' },
  '/auth/signin': { draws: '', who: 'guest' },
  '/auth/second-step': { draws: '', who: 'halfway' },
  '/auth/forgot-password': { draws: '', who: 'guest' },
  '/auth/reset-password': { draws: '', who: 'guest' },
  '/auth/disown': { draws: '', who: 'guest', status: 404 },
  '/auth/signout': { draws: shell },
  '/browseChannels': {
    draws: `${shell} icon item myGame myLogin myTitle myTwitch otherGame otherLogin otherPicture otherTitle otherTwitch`,
  },
  '/channels/:login': { draws: 'myName', status: 404 },
  '/channels/:login/:ruleId': { draws: 'myName', status: 404 },
  '/rewardHistory': { draws: `${shell} ${item} otherPicture otherTwitch pastRule` },
  '/dashboard': { draws: `${shell} icon myRule otherPicture` },
  '/profile': { draws: `${shell} myTwitch mySteam` },
  '/profile/name': { draws: shell },
  '/profile/email': { draws: shell },
  '/profile/password': { draws: shell },
  '/profile/confirm': { draws: `${shell} myTwitch`, who: 'stale' },
  '/profile/second-factor': { draws: `${shell} passkey` },
  '/profile/second-factor/app': { draws: shell },
  '/profile/second-factor/off': { draws: 'myName', who: 'protected' },
  '/profile/second-factor/passkeys/new': { draws: shell },
  '/profile/second-factor/passkeys/:id/remove': { draws: `${shell} passkey` },
  '/profile/second-factor/recovery-codes': { draws: 'myName', who: 'protected' },
  '/profile/trade-link': { draws: shell },
  '/settings': { draws: `${shell} token` },
  '/settings/sessions/end': { draws: shell },
  '/settings/sessions/:id/end': { draws: shell },
  '/settings/freeze': { draws: 'myName', who: 'frozen' },
  '/settings/tokens': { draws: `${shell} token` },
  '/settings/tokens/:id/revoke': { draws: `${shell} token` },
  '/settings/delete': { draws: shell },
  '/steam/unlink': { draws: `${shell} mySteam` },
  '/twitch/unlink': { draws: `${shell} myTwitch` },
  '/items': { draws: `${shell} ${item} typeTag rarityTag` },
  '/items/custody': { draws: `${shell} ${item} myRule` },
  '/items/deposit': { draws: `${shell} ${item}`, query: picked },
  '/items/return': { draws: `${shell} ${item}`, query: picked },
  '/raffles': { draws: `${shell} item` },
  '/rules': { draws: `${shell} myRule` },
  '/billing': { draws: shell },
  '/billing/cancel': { draws: shell, query: '?product=streamer' },
  '/billing/change': { draws: shell, query: '?product=streamer&tier=pro&period=year' },
  '/rules/new': { draws: `${shell} myTwitch otherTwitch ${item}` },
  '/rules/who-got-what': {
    draws: `${shell} myRule exterior icon item otherPicture otherTwitch`,
  },
  '/rules/who-got-what/:id/stop': { draws: `${shell} myRule item icon otherTwitch` },
  '/rules/:id': { draws: `${shell} myRule myTwitch ${item} otherTwitch thirdTwitch thirdPicture` },
  '/rules/:id/rewards/add': { draws: `${shell} myRule ${item}` },
  '/rules/:id/rewards/remove': { draws: `${shell} myRule ${item}` },
  '/rules/:id/weights': { draws: `${shell} myRule ${item}` },
  '/rules/:id/announce': { draws: `${shell} myRule item` },
  '/rules/:id/correct': { draws: `${shell} myRule` },
  '/rules/:id/pause': { draws: `${shell} myRule` },
  '/rules/:id/delete': { draws: `${shell} myRule` },
  '/channel': { draws: `${shell} myTwitch myLogin` },
  '/channel/commands': { draws: shell },
  '/channel/overlay': { draws: `${shell} myRule` },
  '/channel/overlay/replace': { draws: shell },
  '/channel/overlay/resume': { draws: shell },
  '/channel/guests': { draws: `${shell} otherTwitch otherPicture` },
  '/channel/guests/:id/dismiss': { draws: `${shell} otherTwitch` },
  '/proof/:ruleId': { draws: `${shell} myRule myTwitch item icon market` },
  '/proof/:ruleId/:number': { draws: `${shell} myRule myTwitch item icon market` },
  '/rewardProgress': {
    draws: `${shell} ${item} market otherTwitch otherPicture pastRule readyRule sentRule earnedRule`,
  },
  '/rewards/:id/claim': { draws: `${shell} ${item} otherTwitch readyRule` },
  '/raffle/:raffleId': { draws: 'myName', status: 404 },
  '/wins/:id': { draws: 'myName', status: 404 },
  '/transfers': { draws: `${shell} ${item} market otherTwitch` },
  '/transfers/:id/cancel': { draws: `${shell} ${item}` },
  '/api/docs': { draws: 'myName' },
  '/operator': { draws: 'market myName myTwitch otherTwitch thirdTwitch', who: 'operator' },
  '/operator/stop': { draws: 'myName', who: 'operator' },
  '/operator/resume': { draws: 'myName', who: 'stopped' },
  '/*': { draws: 'myName', status: 404 },
};

/** A page's URL, with its id filled in by the word before it. */
function addressOf(path: string): string {
  const own = path
    .replace(/:(id|ruleId)/, idIn(path, world))
    .replace(':number', '1')
    .replace(':login', encodeURIComponent(hostile('otherLogin')));
  return `${own.replace('*', 'nowhere')}${pages[path]?.query ?? ''}`;
}

const anyHostile = /&lt;img src=x onerror=\w+\(\)&gt;&quot;&#x27;{{t}}\$t\(t\)ש/;

function expectHarmless(page: Page): void {
  expect(dangersIn(page)).toEqual([]);
  // A name of the other direction turns nothing around it.
  expect(turnedTextsIn(page, anyHostile)).toEqual([]);
  // Nor in the scripts with the page's data, unless the page comes without React.
  expect(page.html).toMatch(/window\.__reactRouterContext|<script[^>]+plain-page/);
  expect(page.html).not.toMatch(/<img src=x/i);
}

test('Every page of the product is checked', async () => {
  const drawn = (await routeModules()).filter(({ page }) => page !== undefined).map(({ path }) => path);
  expect(Object.keys(pages).toSorted()).toEqual(drawn.toSorted());
});

test.each(Object.entries(pages))('%s shows hostile names as text', async (path, asked) => {
  const { draws, who = 'member', status = 200 } = asked;
  const address = addressOf(path);
  const page = await (await readers[who]()).open(address);
  expect([page.status, page.path]).toEqual([status, address]);
  expectHarmless(page);
  const drawn = [...page.html.matchAll(/&lt;img src=x onerror=(\w+)\(\)&gt;/g)].map(([, name = '']) => name);
  expect([...new Set(drawn)].toSorted()).toEqual(draws.split(' ').filter(Boolean).toSorted());
  // Complete each time, including text that a template might treat as its own syntax.
  for (const name of drawn) {
    const whole = page.html.split(escaped(hostile(name))).length - 1;
    expect([name, whole]).toEqual([name, drawn.filter((each) => each === name).length]);
  }
});

test('A channel’s public page, which needs a login as Twitch gives them, shows hostile names as text', async () => {
  const db = await database();
  const known = eq(channels.login, hostile('myLogin'));
  await db.transaction(
    async (tx) => void (await tx.update(channels).set({ login: 'demo_host' }).where(known)),
  );
  const page = await (await readers.guest()).open('/channels/demo_host');
  expect(page.status).toBe(200);
  expectHarmless(page);
  expect(page.html).toContain(escaped(hostile('myTwitch')));
  expect(page.html).toContain('href="https://twitch.example/demo_host"');
});

test('A channel with a hostile name is linked by a valid URL', async () => {
  const { html } = await (await readers.member()).open('/rewardProgress');
  const channel = encodeURIComponent(hostile('otherLogin'));
  expect(html).toContain(`href="https://twitch.example/${escaped(channel)}"`);
});

const typed = hostile('typed');
const search = `?${new URLSearchParams({ q: typed })}`;
const rule = { name: typed, watch: 'on', watchAmount: '1', watchUnit: 'hours', watchScope: 'allTime' };

test.each<{ on: string; query?: string; form?: Record<string, string> }>([
  { on: '/items', query: search },
  { on: '/items/custody', query: search },
  { on: '/rules', query: search },
  { on: '/rules/new', form: { ...rule, edit: '1' } },
  { on: '/rules/new', form: { ...rule, requestId: newId(Date.now()), claimTimeoutHours: '72' } },
  { on: '/channel', form: { logins: typed } },
  { on: '/channel/guests', form: { login: typed } },
  { on: '/profile/name', form: { name: typed.repeat(9) } },
  { on: '/profile', form: { trade_link: typed } },
  { on: '/settings/tokens', form: { name: typed.repeat(9) } },
  { on: '/contact_us', form: { name: typed, email: 'no address', message: typed } },
])('What is typed on $on is shown again as text', async ({ on, query = '', form }) => {
  const page = await (await readers.member()).open(`${on}${query}`, form);
  expectHarmless(page);
  expect(page.html).toContain(escaped(typed));
});

test('A guest’s message is shown as text behind the link in its mail', async () => {
  const email = 'guest@example.org';
  const message = { userId: null, name: typed, email, message: `one\n${typed}`, locale: 'en' } as const;
  await sendMessage(await database(), { message, operatorEmail: null, senderProof: 'mailbox' }, Date.now());
  const [token = ''] = await mailedTokens(email);
  const page = await (await readers.guest()).open(`/contact_us/confirm?token=${token}`);
  expectHarmless(page);
  expect(page.html.split(escaped(typed))).toHaveLength(3);
});

test('A stream’s title is sent as data that no browser renders as a page', async () => {
  const channels = await (await readers.member()).open('/api/v1/channels');
  expect(channels.status).toBe(200);
  expect(channels.headers.get('Content-Type')).toMatch(/^application\/vnd\.api\+json/);
  expect(channels.headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(JSON.parse(channels.html).data).toContainEqual(
    expect.objectContaining({
      attributes: expect.objectContaining({
        display_name: hostile('otherTwitch'),
        title: hostile('otherTitle'),
        game: hostile('otherGame'),
      }),
    }),
  );
});

test('A rule’s draws are sent as data that no browser renders as a page', async () => {
  const proof = await (await readers.guest()).open(`/proof/${world.ids.rules}.json`);
  expect(proof.status).toBe(200);
  expect(proof.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(proof.headers.get('X-Content-Type-Options')).toBe('nosniff');
  const [drawn] = JSON.parse(proof.html).draws;
  expect(drawn.candidates).toMatchObject([{ marketHashName: hostile('market') }]);
});
