import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Language, languages } from '#app/locales/languages.ts';
import { database } from '#app/services/database.server.ts';
import { addBot, addRule, addStreamer, asset } from '#tests/support/fixtures.ts';
import { withoutTable } from '../support/broken-store.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { newcomer, signUpForm } from '../support/member.ts';
import { type Page, Reader, readerLike, readerOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';
import { type Deed, lacking, type Message, noScreenYet, testMessages } from './catalogue.ts';
import {
  halfPermitted,
  picked,
  restricted,
  ruleForm,
  ruleOwner,
  streamerReader,
  unconnected,
  winner,
  withoutLink,
  withoutSteam,
} from './people.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());
beforeAll(async () => void (await addBot(await database())));
afterEach(() => {
  bot.trouble = null;
});

const nobody = { email: 'nobody@example.org', password: 'a short sentence' };
const letter = { name: 'Demo guest', email: 'guest@example.org', message: 'Hello' };

type Somebody = (language: Language) => Promise<Reader>;
const opening =
  (who: Somebody, path: string) =>
  async (language: Language): Promise<Page> =>
    (await who(language)).open(path);
const sending =
  (who: Somebody, path: string, form: () => Record<string, string>) =>
  async (language: Language): Promise<Page> =>
    (await who(language)).open(path, form());

/** A streamer's page while a table is missing in the database. */
const losing =
  (table: string, path: string): Deed =>
  async (language) => {
    const reader = await streamerReader(language);
    const page = await withoutTable(table, () => reader.open(path));
    expect(page.status).toBe(503);
    return page;
  };

/** A streamer's page while Steam does not return the inventory. */
const withoutSteamAnswering =
  (path: string): Deed =>
  async (language) => {
    bot.trouble = { status: 503, code: 'steamUnavailable' };
    const page = await (await streamerReader(language)).open(path);
    expect(page.status).toBe(503);
    return page;
  };

async function claimWithoutLink(language: Language): Promise<Page> {
  const { reader, claim } = await winner(language, { tradeToken: null });
  return reader.open(claim, {});
}

async function depositWithoutLink(language: Language): Promise<Page> {
  const { reader, steamId } = await withoutLink(language);
  bot.inventories.set(steamId, [{ ...asset(), tradable: true }]);
  return reader.open('/items/deposit', picked());
}

async function returnWithoutLink(language: Language): Promise<Page> {
  return (await withoutLink(language)).reader.open('/items/return', picked());
}

async function claimWithoutSteam(language: Language): Promise<Page> {
  const { reader, claim } = await winner(language, { steam: false });
  return reader.open(claim, {});
}

async function readyWithoutLink(language: Language): Promise<Page> {
  const { reader } = await winner(language, { tradeToken: null });
  return reader.open('/rewardProgress');
}

async function claimUnread(language: Language): Promise<Page> {
  const { reader, claim } = await winner(language);
  return withoutTable('draws', () => reader.open(claim));
}

async function oneRuleTooMany(language: Language): Promise<Page> {
  const streamer = await addStreamer(await database());
  for (let rules = 0; rules < 100; rules++) await addRule(await database(), streamer, { rewards: 0 });
  return (await readerOf(streamer.userId, language)).open('/rules/new', ruleForm());
}

async function oneRewardTooMany(language: Language): Promise<Page> {
  const { reader, rule } = await ruleOwner(language);
  return reader.open(`${rule}/rewards/add`, picked(5001));
}

/** A page whose loader fails. */
async function ruleUnread(language: Language): Promise<Page> {
  const { reader, rule } = await ruleOwner(language);
  const page = await withoutTable('custom_rewards', () => reader.open(rule));
  expect(page.status).toBe(500);
  return page;
}

const messages: Message[] = [
  {
    key: 'errors.page.failedTitle',
    en: 'Oops, something went wrong.',
    ru: 'Что-то пошло не так.',
    reached: { 'opening a page that fails': ruleUnread },
  },
  {
    key: 'errors.session.required',
    en: 'You must be authorized to see this page.',
    ru: 'Чтобы открыть эту страницу, нужно войти.',
    reached: { 'opening /dashboard signed out': (language) => new Reader(language).open('/dashboard') },
  },
  {
    key: 'errors.session.badCredentials',
    en: 'Please check your email and password.',
    ru: 'Проверьте почту и пароль.',
    reached: {
      'signing in with a wrong password': (language) => new Reader(language).open('/auth/signin', nobody),
      'resetting a password with a made-up token': (language) =>
        new Reader(language).open('/auth/reset-password', {
          ...nobody,
          token: 'x',
          password_confirmation: nobody.password,
        }),
    },
  },
  {
    key: 'errors.user.unverified',
    en: 'Your profile is not verified. Please check your mail for the verification link.',
    ru: 'Профиль не подтверждён. Откройте ссылку для подтверждения из нашего письма.',
    reached: {
      'opening /dashboard before verifying': async (language) =>
        readerLike((await newcomer()).visitor, language).open('/dashboard'),
    },
  },
  {
    key: 'errors.tradeLink.missing',
    en: 'You have not provided your trade link. Please set your trade link in your profile.',
    ru: 'Ссылка на обмен не указана. Укажите её в профиле.',
    reached: {
      'claiming without a trade link': claimWithoutLink,
      'confirming a deposit without a trade link': depositWithoutLink,
      'confirming a return without a trade link': returnWithoutLink,
      'looking at a reward without a trade link': readyWithoutLink,
    },
  },
  {
    key: 'errors.account.notConnected',
    en: 'Your account is not connected to your {{accountType}} account.',
    ru: 'К вашему аккаунту не подключён {{accountType}}.',
    reached: {
      'opening /items without Steam': lacking('Steam', opening(unconnected, '/items')),
      'opening /rules/new without Steam': lacking('Steam', opening(withoutSteam, '/rules/new')),
      'confirming a rule without Steam': lacking('Steam', sending(withoutSteam, '/rules/new', ruleForm)),
      'claiming without Steam': lacking('Steam', claimWithoutSteam),
      'confirming a deposit without Steam': lacking('Steam', sending(withoutSteam, '/items/deposit', picked)),
      'disconnecting Steam without Steam': lacking(
        'Steam',
        sending(unconnected, '/steam/unlink', () => ({})),
      ),
      'opening /rewardProgress without Twitch': lacking('Twitch', opening(unconnected, '/rewardProgress')),
      'opening /rules/new without Twitch': lacking('Twitch', opening(unconnected, '/rules/new')),
      'confirming a rule without Twitch': lacking('Twitch', sending(unconnected, '/rules/new', ruleForm)),
      'disconnecting Twitch without Twitch': lacking(
        'Twitch',
        sending(unconnected, '/twitch/unlink', () => ({})),
      ),
    },
  },
  {
    key: 'errors.twitch.missingPermissions',
    en: 'Your streaming integration is missing required permissions.',
    ru: 'Подключению Twitch не хватает разрешений.',
    reached: {
      'opening /profile': opening(halfPermitted, '/profile'),
      'opening /rules/new': opening(halfPermitted, '/rules/new'),
      'confirming a rule': sending(halfPermitted, '/rules/new', ruleForm),
    },
  },
  {
    key: 'errors.twitch.broken',
    en: 'There is a problem with your streaming account; unlink and link it again.',
    ru: 'С вашим аккаунтом Twitch что-то не так: отключите его и подключите снова.',
    reached: {
      'opening /profile': opening(restricted, '/profile'),
      'opening /rules/new': opening(restricted, '/rules/new'),
      'confirming a rule': sending(restricted, '/rules/new', ruleForm),
    },
  },
  {
    key: 'errors.captcha.invalid',
    en: 'Invalid captcha.',
    ru: 'Проверка «Я не робот» не пройдена.',
    reached: {
      'signing up': (language) =>
        new Reader(language).open('/auth/signup', signUpForm({ without_script: '' })),
      'writing on /contact_us': (language) => new Reader(language).open('/contact_us', letter),
    },
  },
  {
    key: 'errors.subscription.cancelFailed',
    en: 'Error cancelling subscription.',
    ru: 'Не удалось отменить подписку.',
    reached: noScreenYet,
  },
  {
    key: 'errors.subscription.createFailed',
    en: 'Error creating subscription.',
    ru: 'Не удалось оформить подписку.',
    reached: noScreenYet,
  },
  {
    key: 'errors.subscription.limitReached',
    en: "You have reached your subscription's limits.",
    ru: 'Вы достигли лимитов своей подписки.',
    reached: {
      'confirming one rule too many': oneRuleTooMany,
      'adding one reward too many': oneRewardTooMany,
    },
  },
  {
    key: 'errors.unavailable.inventory',
    en: 'Inventory is unavailable',
    ru: 'Инвентарь недоступен',
    reached: {
      'opening /items while Steam is silent': withoutSteamAnswering('/items'),
      'confirming a deposit while Steam is silent': withoutSteamAnswering(
        `/items/deposit?${new URLSearchParams(picked())}`,
      ),
      'opening /items/custody': losing('items', '/items/custody'),
    },
  },
  {
    key: 'errors.unavailable.transfers',
    en: 'Transfers are unavailable',
    ru: 'Передачи недоступны',
    reached: { 'opening /transfers': losing('transfers', '/transfers') },
  },
  {
    key: 'errors.unavailable.rules',
    en: 'Rules are unavailable',
    ru: 'Правила недоступны',
    reached: { 'opening /rules': losing('custom_rewards', '/rules') },
  },
  {
    key: 'errors.unavailable.rewardHistory',
    en: 'Reward history is unavailable',
    ru: 'История наград недоступна',
    reached: { 'opening /rewardHistory': losing('rewards', '/rewardHistory') },
  },
  {
    key: 'errors.unavailable.rewardProgress',
    en: 'Reward progress is unavailable',
    ru: 'Прогресс наград недоступен',
    reached: { 'opening /rewardProgress': losing('qualifications', '/rewardProgress') },
  },
  {
    key: 'errors.unavailable.rewardClaiming',
    en: 'Reward claiming is unavailable',
    ru: 'Получение наград недоступно',
    reached: { 'opening the page of a claim': claimUnread },
  },
];

testMessages(messages);

const failed = { en: 'Oops, something went wrong.', ru: 'Что-то пошло не так.' };
test.each(languages)('A failed API call says the same (%s)', async (language) => {
  const { html, status } = await withoutTable('custom_rewards', async () =>
    (await streamerReader(language)).open('/api/v1/rules'),
  );
  expect([status, JSON.parse(html).errors[0].detail]).toEqual([500, failed[language]]);
});
