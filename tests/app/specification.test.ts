import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import { listTransfers } from '#domain/transfer/list-transfers.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn, owned, rewardsOf } from '#tests/support/looking.ts';
import { watchFor } from '#tests/support/watching.ts';
import { picked, ruleForm } from './messages/people.ts';
import { claimsIn, screens, shell, validation } from './specification.ts';
import { startFakeBot } from './support/fake-bot.ts';
import { member, signUpForm } from './support/member.ts';
import { buy, setSellingWeb } from './support/selling.ts';
import { Reader, readerLike, readerOf, wordsOf } from './support/site.ts';

const bot = await startFakeBot();
const endSelling = await setSellingWeb({ BOT_URL: bot.url });
afterAll(async () => {
  await bot.stop();
  await endSelling();
});
const db = await database();

let streamer: Person;
let viewer: Person;
let asStreamer: Reader;
let asViewer: Reader;
let ruleId: string;

/** A streamer with a plan, a rule with items, and a viewer who got one reward and can claim another. */
beforeAll(async () => {
  await addBot(db);
  [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  await buy(streamer, { product: 'streamer', tier: 'pro', period: 'month' });
  const nowMs = Date.now() - hour;
  ruleId = await addRule(db, streamer, { name: 'Ten hours', rewards: 3, nowMs });
  const other = await addRule(db, streamer, { name: 'Second', rewards: 1, nowMs });
  await deposit(db, streamer, [asset(), asset()], nowMs - 8 * day);
  bot.inventories.set(
    streamer.steamId,
    ['At home', 'At home'].map((name) => ({ ...asset(name), tradable: true })),
  );
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const [mine] = (await rewardsOf(db, other)).filter(({ userId }) => userId === viewer.userId);
  await claimReward(db, { rewardId: mine?.id ?? '', userId: viewer.userId }, nowMs);
  for (const { id } of await sendQueued(db, nowMs)) await acceptOffer(db, id, await assetsIn(db, id), nowMs);
  [asStreamer, asViewer] = [await readerOf(streamer.userId), await readerOf(viewer.userId)];
});

const words = async (reader: Reader, path: string) => wordsOf((await reader.open(path)).html);
const html = async (reader: Reader, path: string) => (await reader.open(path)).html;
const pool = async () => (await getRule(db, { ruleId, ownerId: streamer.userId }))?.pool;
const transfersOf = async () => (await listTransfers(db, { userId: streamer.userId, size: 100 })).rows.length;
const home = kindKey({ appId: 730, marketHashName: 'At home' });
const promisedId = async () =>
  (await rewardsOf(db, ruleId)).find(({ userId }) => userId === viewer.userId)?.id ?? '';

/** The page asks, with these words, and opening it changes nothing that `count` counts. */
async function asks(reader: Reader, path: string, question: RegExp, count: () => Promise<unknown>) {
  const before = JSON.stringify(await count());
  const page = await reader.open(path);
  expect([page.status, page.path]).toEqual([200, path]);
  expect(wordsOf(page.html)).toMatch(question);
  expect(page.html).toMatch(/<form[^>]*method="post"/);
  expect(JSON.stringify(await count())).toBe(before);
}

type Check = () => Promise<void>;

const checks: Record<string, Check> = {
  'Dashboard: shows metrics for rewards, watch time, followers, subscriptions and channel-points rewards.':
    async () => {
      const page = await html(asStreamer, '/dashboard');
      for (const name of ['rewards', 'watchTime', 'followers', 'subscriptions', 'channelPoints'])
        expect(page).toContain(`<div id="${name}">`);
      expect(wordsOf(page)).toMatch(
        /Rewards by status.*Watch time.*Followers.*Subscriptions.*Channel points rewards/,
      );
    },
  'Items (tabs: transfers and inventory): see items with amounts and move items from the game inventory to the product.':
    async () => {
      const page = await html(asStreamer, '/items');
      for (const tab of ['/items', '/items/custody', '/transfers']) expect(page).toContain(`href="${tab}"`);
      expect(wordsOf(page)).toContain('At home');
      expect(await words(asStreamer, '/items/custody')).toMatch(/Demo case.*Return/);
      const before = await transfersOf();
      const fields = { requestId: newId(Date.now()), item: home, [`item:${home}`]: '1' };
      expect((await asStreamer.open('/items/deposit', fields)).path).toMatch(/^\/transfers\?open=/);
      expect(await transfersOf()).toBe(before + 1);
    },
  'Transfers (/transfers): item transfers.': async () => {
    expect(await words(asStreamer, '/transfers')).toMatch(/Deposit, (from|to) .*Demo case/);
  },
  'Rules: create and delete rules, add or remove rewards on a rule.': async () => {
    const made = await asStreamer.open('/rules/new', ruleForm());
    expect(made.path).toMatch(/^\/rules\/[0-9a-f-]+$/);
    await asStreamer.open(`${made.path}/rewards/add`, picked(1));
    const id = made.path.slice('/rules/'.length);
    expect(await listRuleRewards(db, owned(id))).toMatchObject([{ free: 1 }]);
    await asStreamer.open(`${made.path}/rewards/remove`, picked(1));
    expect(await listRuleRewards(db, owned(id))).toMatchObject([{ free: 0 }]);
    await asStreamer.open(`${made.path}/delete`, {});
    expect((await getRule(db, { ruleId: id, ownerId: streamer.userId }))?.state).toBe('closed');
  },
  'Reward progress: see progress per rule, and claim ready rewards.': async () => {
    const late = await addPerson(db);
    const page = await words(await readerOf(late.userId), '/rewardProgress');
    expect(page).toContain('Reward progress');
    await watchFor(db, streamer.twitchId, [[late.twitchId, 600]]);
    expect(await words(await readerOf(late.userId), '/rewardProgress')).toMatch(/Ten hours.*10 min of/);
    expect(await html(asViewer, '/rewardProgress')).toContain(`/rewards/${await promisedId()}/claim`);
  },
  'Reward history (/rewardHistory): claimed rewards.': async () => {
    expect(await words(asViewer, '/rewardHistory')).toMatch(/Demo case.*Second.*Delivered/);
  },
  "Browse channels (/browseChannels): filter channels, see each channel's online or offline state, game, rewards left and claim timeout.":
    async () => {
      const page = await html(asViewer, '/browseChannels');
      for (const filter of ['q', 'state', 'type', 'game'])
        expect(page).toMatch(new RegExp(`name="${filter}"`));
      expect(wordsOf(page)).toMatch(/Offline/);
      expect(wordsOf(page)).toMatch(/\d+ rewards? left/);
      expect(wordsOf(page)).toMatch(/3 days|72 h/);
    },
  "Billing: subscribe, open the provider's billing portal, cancel the subscription.": async () => {
    const page = await html(asStreamer, '/billing');
    for (const act of ['/billing/checkout', '/billing/portal', '/billing/cancel'])
      expect(page).toContain(act);
  },
  'Profile: email, password, trade link, streaming connection, game-trading connection.': async () => {
    const page = await html(asStreamer, '/profile');
    for (const way of ['/profile/email', '/profile/password', '/twitch/unlink', '/steam/unlink'])
      expect(page).toContain(`href="${way}"`);
    expect(page).toContain('name="trade_link"');
  },
  'Contact us and FAQ: contact form and answers.': async () => {
    const page = await html(new Reader('en'), '/contact_us');
    for (const field of ['name', 'email', 'message']) expect(page).toContain(`name="${field}"`);
    expect((await html(new Reader('en'), '/faq')).match(/<summary|<h2|<h3/g)?.length).toBeGreaterThan(5);
  },
  'Menu: General, Dashboard; Viewer (Browser, Reward Progress, Reward History); Streamer (Items, Rules, Item Transfers, Billing); Contact Us; FAQ.':
    async () => {
      expect(await words(asStreamer, '/dashboard')).toMatch(
        /General.*Dashboard.*Viewer.*Browse channels.*Reward progress.*Reward history.*Streamer.*Items.*Rules.*Item transfers.*Billing.*Contact us.*FAQ/,
      );
    },
  'Top bar: Profile, Settings, Logout.': async () => {
    const page = await html(asStreamer, '/dashboard');
    const [, bar = ''] = page.split('<header');
    for (const to of ['/profile', '/settings', '/auth/signout']) expect(bar).toContain(`href="${to}"`);
    expect(wordsOf(bar)).toMatch(/Profile.*Settings.*Log ?out/);
  },
  'Footer: About, FAQ, Contact Us, Terms of Service, Privacy Policy, Cookie Policy.': async () => {
    const links = [
      '/#about',
      '/faq',
      '/contact_us',
      '/terms_of_service',
      '/privacy_policy',
      '/cookie_policy',
    ];
    for (const [reader, path] of [
      [new Reader('en'), '/'],
      [asViewer, '/dashboard'],
    ] as const) {
      const foot = (await html(reader, path)).split('<footer').at(-1) ?? '';
      expect([...foot.matchAll(/href="([^"]+)"/g)].map(([, to]) => to)).toEqual(
        expect.arrayContaining(links),
      );
    }
  },
  'The app shell shows popup notifications, the routed view and the cookie banner.': async () => {
    const page = await html(asViewer, '/dashboard');
    expect(page).toContain('aria-label="Notifications"');
    expect(page).toContain('<main');
    expect(wordsOf(page)).toMatch(/Cookies/);
  },
  'Captcha must be valid (otherwise the invalid-captcha message).': async () => {
    const { without_script: _, ...form } = signUpForm();
    const page = await new Reader('en').open('/auth/signup', { ...form, altcha: 'forged' });
    expect(wordsOf(page.html)).toContain('Invalid captcha.');
  },
  'Sign-in: e-mail and password are checked (message asks to check them).': async () => {
    const wrong = { email: 'nobody@example.org', password: 'a wrong sentence' };
    const page = await new Reader('en').open('/auth/signin', wrong);
    expect(wordsOf(page.html)).toContain('Please check your email and password.');
  },
  'Sign-up: the terms of service must be accepted.': async () => {
    const { terms: _, ...form } = signUpForm();
    const page = await new Reader('en').open('/auth/signup', form);
    expect([page.status, page.path]).toEqual([400, '/auth/signup']);
    expect(page.html).toMatch(/name="terms"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*name="terms"/);
  },
  'Reset password and forgot password: the forms tell the user to check the credentials or the e-mail.':
    async () => {
      const forgot = await new Reader('en').open('/auth/forgot-password', {
        email: 'nobody@example.org',
        without_script: 'on',
      });
      expect(wordsOf(forgot.html)).toMatch(/[Cc]heck your (mail|email)|we sent/i);
      const password = 'a sentence of its own';
      const reset = await new Reader('en').open('/auth/reset-password', {
        ...{ email: 'nobody@example.org', token: 'forged', password, password_confirmation: password },
      });
      expect(reset.status).toBe(400);
      expect(reset.html).toContain('role="alert"');
    },
  'Confirmation is required before: creating a rule, deleting a rule, transferring items, withdrawing rewards, returning items, cancelling a subscription, signing out.':
    async () => {
      const { confirmed: _, ...unconfirmed } = ruleForm();
      const rules = async () => (await listRules(db, { ownerId: streamer.userId, size: 100 })).rows.length;
      const before = await rules();
      const review = await asStreamer.open('/rules/new', unconfirmed);
      expect(wordsOf(review.html)).toContain('Open the rule “Ten hours together”?');
      expect(await rules()).toBe(before);
      await asks(asStreamer, `/rules/${ruleId}/delete`, /Delete the rule “Ten hours”\?/, pool);
      const asked = (path: string, key: string) => `${path}?item=${key}&item%3A${key}=1`;
      await asks(asStreamer, asked('/items/deposit', home), /Deposit 1 item/, transfersOf);
      const held = kindKey({ appId: 730, marketHashName: 'Demo case' });
      await asks(asStreamer, asked('/items/return', held), /Return 1 × Demo case/, transfersOf);
      await asks(asViewer, `/rewards/${await promisedId()}/claim`, /Claim .*Demo case/, pool);
      await asks(asStreamer, '/billing/cancel?product=streamer', /Cancel Streamer premium\?/i, async () =>
        (await html(asStreamer, '/billing')).includes('/billing/cancel'),
      );
      const leaving = readerLike((await member()).visitor);
      await asks(
        leaving,
        '/auth/signout',
        /Log out of Keepsake\?/,
        async () => (await leaving.open('/dashboard')).path,
      );
    },
  'Adding or removing rewards asks for a quantity.': async () => {
    for (const change of ['add', 'remove'])
      expect(await html(asStreamer, `/rules/${ruleId}/rewards/${change}`)).toMatch(
        /<input[^>]*type="number"[^>]*name="item:/,
      );
  },
  'Field-level bounds and formats: not shown.': async () => {
    const form = await html(asStreamer, '/rules/new');
    const [field = ''] = form.match(/<input[^>]*name="claimTimeoutHours"[^>]*>/) ?? [];
    expect(field).toMatch(/ max="\d+"/);
  },
};

describe.each([
  ['What the screens let a user do', screens],
  ['Menu, top bar, footer, shell', shell],
  ['Validation', validation],
])('%s', (_, list) => {
  test.each(claimsIn(list))('%s', async (sentence) => {
    const check = checks[sentence];
    if (!check) throw new Error('nothing checks this sentence');
    await check();
  });
});

test('Every check belongs to a sentence', () => {
  expect(Object.keys(checks)).toEqual([screens, shell, validation].flatMap(claimsIn));
});
