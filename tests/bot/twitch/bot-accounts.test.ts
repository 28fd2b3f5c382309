import { pino } from 'pino';
import { expect, test } from 'vitest';
import { botAccounts } from '#bot/twitch/channel/bot-accounts.ts';
import { knownBots } from '#bot/twitch/channel/known-bots.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';

const log = pino({ level: 'silent' });
const bots = [
  { login: 'old_bot', twitchId: '111' },
  { login: 'named_bot', twitchId: null },
];

/** Twitch's answers about who has a login today. */
const accountsWith = (owners: Record<string, string>, failures = 0) => {
  let left = failures;
  const api = {
    async idsOf(logins: readonly string[]) {
      if (left > 0) {
        left -= 1;
        throw new TwitchFault('unavailable', 'no answer');
      }
      return new Map(logins.flatMap((login) => (owners[login] ? [[login, owners[login]] as const] : [])));
    },
  };
  return botAccounts({ log, api, moreLogins: ['our_bot', 'ignored_bot'], bots });
};

test('A bot is known by its id, whatever it is called today', async () => {
  const { isBot } = accountsWith({});
  expect(isBot({ twitchId: '111', login: 'renamed' })).toBe(true);
  expect(isBot({ twitchId: '222', login: 'old_bot' })).toBe(false);
});

test('Who is known by login only is looked up, and then the id decides', async () => {
  const accounts = accountsWith({ named_bot: '333', our_bot: '444' }, 1);
  const retryMs = (await accounts.readIds()) ?? 0;
  // Twitch did not answer yet.
  expect(accounts.isBot({ twitchId: '999', login: 'Named_Bot' })).toBe(true);
  expect((await accounts.readIds()) ?? 0).toBeGreaterThan(retryMs);
  expect(accounts.isBot({ twitchId: '333', login: 'renamed' })).toBe(true);
  expect(accounts.isBot({ twitchId: '444', login: 'our_bot' })).toBe(true);
  expect(accounts.isBot({ twitchId: '999', login: 'named_bot' })).toBe(false);
  expect(accounts.isBot({ twitchId: '555', login: 'ignored_bot' })).toBe(false);
});

test('The list names each account once, by a valid login and id', () => {
  const ids = knownBots.flatMap(({ twitchId }) => twitchId ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(knownBots.map(({ login }) => login)).size).toBe(knownBots.length);
  for (const { login, twitchId } of knownBots)
    expect(`${login} ${twitchId ?? 0}`).toMatch(/^[a-z0-9_]{3,25} \d+$/);
});
