import { afterAll, beforeAll, expect, test } from 'vitest';
import { en } from '#app/locales/en.ts';
import type { Language } from '#app/locales/languages.ts';
import { database } from '#app/services/database.server.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { addBot, addPerson, sendQueued } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { mailedTokens, member, newcomer, signUpForm } from '../support/member.ts';
import { type Page, Reader, readerLike, readerOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';
import { type Message, noScreenYet, type Reached, testMessages } from './catalogue.ts';
import { picked, ruleForm, ruleOwner, streamerReader, unconnected, winner } from './people.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());
beforeAll(async () => void (await addBot(await database())));

const letter = { name: 'Demo guest', email: 'guest@example.org', message: 'Hello' };
const next = 'a fresh sentence';

/** A guest whose browser has no JavaScript. */
async function confirmMessage(language: Language): Promise<Page> {
  const guest = new Reader(language);
  const { email } = signUpForm();
  await guest.open('/contact_us', { ...letter, email, without_script: 'on' });
  const [token = ''] = await mailedTokens(email);
  return guest.open(`/contact_us/confirm?token=${token}`, { token });
}

async function resetPassword(language: Language): Promise<Page> {
  const { email } = await member();
  const guest = new Reader(language);
  await guest.open('/auth/forgot-password', { email, without_script: 'on' });
  const token = (await mailedTokens(email)).at(-1) ?? '';
  return guest.open('/auth/reset-password', { email, token, password: next, password_confirmation: next });
}

async function setTradeLink(language: Language): Promise<Page> {
  const { userId, steamId } = await addPerson(await database(), { tradeToken: null });
  const trade_link = formatTradeLink({ steamId, token: 'abcdefgh' });
  return (await readerOf(userId, language)).open('/profile', { trade_link });
}

/** The bot has sent the offer for a claimed reward. */
async function awaitOffer(language: Language): Promise<Reached> {
  const { reader, userId, claim } = await winner(language);
  const db = await database();
  const rewardId = claim.split('/')[2] ?? '';
  expect(await claimReward(db, { rewardId, userId }, Date.now())).toMatchObject({ ok: true });
  const [sent] = await sendQueued(db, Date.now());
  return { page: await reader.open('/rewardProgress'), values: { offerId: sent?.offerId ?? 'none' } };
}

const messages: Message[] = [
  {
    key: 'messages.messageSent',
    en: 'Message sent!',
    ru: 'Сообщение отправлено!',
    reached: {
      'writing on /contact_us': async (language) => (await unconnected(language)).open('/contact_us', letter),
      'writing on /help': async (language) => (await unconnected(language)).open('/help', letter),
      'confirming a message': confirmMessage,
    },
  },
  {
    key: 'messages.registered',
    en: 'Successful registration',
    ru: 'Регистрация завершена',
    reached: { 'signing up': (language) => new Reader(language).open('/auth/signup', signUpForm()) },
  },
  {
    key: 'messages.passwordUpdated',
    en: 'Password updated',
    ru: 'Пароль обновлён',
    reached: {
      'changing the password': async (language) =>
        (await unconnected(language)).open('/profile/password', { current: 'a short sentence', next }),
      'resetting the password': resetPassword,
    },
  },
  {
    key: 'messages.tradeLinkUpdated',
    en: 'Steam trade link updated',
    ru: 'Ссылка на обмен обновлена',
    reached: { 'setting a trade link': setTradeLink },
  },
  {
    key: 'messages.ruleCreated',
    en: 'Rule successfully created',
    ru: 'Правило создано',
    reached: {
      'confirming a rule': async (language) =>
        (await streamerReader(language)).open('/rules/new', ruleForm()),
    },
  },
  {
    key: 'messages.ruleDeleted',
    en: 'Rule deleted',
    ru: 'Правило удалено',
    reached: {
      'confirming that a rule goes': async (language) => {
        const { reader, rule } = await ruleOwner(language);
        return reader.open(`${rule}/delete`, {});
      },
    },
  },
  {
    key: 'messages.rewardsAdded',
    en: 'Rewards added to rule',
    ru: 'Награды добавлены в правило',
    reached: {
      'adding a quantity': async (language) => {
        const { reader, rule } = await ruleOwner(language);
        return reader.open(`${rule}/rewards/add`, picked());
      },
    },
  },
  {
    key: 'messages.rewardsRemoved',
    en: 'Rewards removed from rule',
    ru: 'Награды убраны из правила',
    reached: {
      'removing a quantity': async (language) => {
        const { reader, rule } = await ruleOwner(language);
        return reader.open(`${rule}/rewards/remove`, picked());
      },
    },
  },
  {
    key: 'messages.subscriptionCancelled',
    en: 'Subscription cancelled successfully',
    ru: 'Подписка отменена',
    reached: noScreenYet,
  },
  {
    key: 'messages.verificationSent',
    en: 'Verification email has been sent',
    ru: 'Письмо для подтверждения отправлено',
    reached: {
      'asking for another mail': async (language) =>
        readerLike((await newcomer()).visitor, language).open('/email/unverified', {}),
    },
  },
  {
    key: 'messages.offerSent',
    en: 'Trade offer sent',
    ru: 'Предложение обмена отправлено',
    reached: { 'waiting for a claimed reward': awaitOffer },
  },
  {
    key: 'messages.offerSentBody',
    en: 'No. {{offerId}} arrives in a couple of minutes.',
    ru: '№ {{offerId}} придёт через пару минут.',
    reached: { 'waiting for a claimed reward': awaitOffer },
  },
];

testMessages(messages);

test('All success messages are covered', () => {
  expect(messages.map(({ key }) => key)).toEqual(Object.keys(en.messages).map((name) => `messages.${name}`));
});
