import { readdirSync, readFileSync } from 'node:fs';
import { getTableColumns, getTableName, is, Table } from 'drizzle-orm';
import { expect, test } from 'vitest';

/** The words for each table's rows about people in the list of SECURITY.md; null if there are none. */
const rowsAbout: Record<string, string | null> = {
  access_requests: 'names of programs that ask for access',
  api_tokens: 'hashes of API tokens',
  attempts: 'network addresses',
  attendance_baselines: 'waiting lists and qualifications',
  attendances: 'attended streams',
  authenticators: 'sealed secret of an authenticator app',
  billing_acts: 'what Stripe was asked to do',
  channel_changes: null,
  channel_days: null,
  channel_guests: 'guests of a channel',
  channels: 'Twitch id, names',
  chat_accounts: null,
  chat_announcements: 'viewers named in chat announcements',
  checkouts: "visits to Stripe's checkout",
  contact_messages: 'messages to the operator',
  custom_rewards: null,
  draws: 'proofs of draws',
  email_tokens: 'links in mails',
  events: 'live events',
  excluded_logins: 'logins that a streamer excludes',
  extension_codes: 'codes of the companion app',
  follows: 'follows',
  items: 'ledger',
  mails: 'mails',
  overlays: 'secrets in the addresses of an overlay and its dock',
  passkey_challenges: 'challenges for passkeys',
  passkeys: 'names, public keys and last use of passkeys',
  pending_sign_ins: 'sign-ins that wait for a second factor',
  push_devices: 'devices that show notices',
  qualifications: 'waiting lists and qualifications',
  raffle_checkpoints: null,
  raffle_entries: 'entries of raffles',
  raffles: 'entries of raffles',
  recovery_codes: 'hashes of recovery codes',
  redemptions: 'redemptions of channel points',
  rewards: 'rewards',
  rules: 'waiting lists and qualifications of a deleted rule',
  seen_messages: "ids of Twitch's messages",
  sessions: "sessions, with the browser's name",
  spent_captchas: null,
  stamps: 'attended streams',
  steam_accounts: 'SteamID and name',
  stripe_customers: 'number of the customer at Stripe',
  stripe_events: "ids of Stripe's events",
  subscribers: 'subscriptions, by Twitch id',
  subscriptions: 'dates of subscriptions',
  transfers: 'transfers',
  trials: 'trials, by Twitch id',
  twitch_accounts: 'Twitch id, names',
  users: 'name, email address',
  viewer_gaps: 'gaps in watch time',
  watch_baselines: 'waiting lists and qualifications',
  watch_days: 'watch time',
  watch_gaps: null,
  watch_times: 'watch time',
};

/** Columns by which a row is about somebody, or has their words. */
const telling =
  /^(user|owner|viewer|twitch|channel|partner|rule_owner|trial_twitch)_|steam_id$|email|recipient|login/;

async function tables(): Promise<Table[]> {
  const folder = new URL('../db/schema/', import.meta.url);
  const modules = await Promise.all(
    readdirSync(folder).map((file) => import(/* @vite-ignore */ new URL(file, folder).href)),
  );
  return modules.flatMap((module) => Object.values(module as object)).filter((each) => is(each, Table));
}

const listed = readFileSync('SECURITY.md', 'utf8').split('## What is stored about people')[1] ?? '';

test('SECURITY.md lists every table that says something about people', async () => {
  const found = (await tables()).filter((each) =>
    Object.values(getTableColumns(each)).some(({ name }) => telling.test(name)),
  );
  const names = found.map(getTableName).filter((name) => name !== 'bots');
  expect(names.filter((name) => !(name in rowsAbout))).toEqual([]);
  const missing = Object.values(rowsAbout).filter((words) => words !== null && !listed.includes(words));
  expect(missing).toEqual([]);
});

test.each(['en', 'ru'])('The privacy policy in %s names Stripe, passkeys and API tokens', (language) => {
  const text = readFileSync(`app/locales/documents/${language}/privacy.ts`, 'utf8');
  const words = { en: ['Stripe', 'passkeys', 'API tokens'], ru: ['Stripe', 'ключей доступа', 'Токены API'] };
  expect(words[language as keyof typeof words].filter((word) => !text.includes(word))).toEqual([]);
});
