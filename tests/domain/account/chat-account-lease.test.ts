import { beforeEach, expect, test } from 'vitest';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import {
  CHAT_LEASE_MS,
  leaseChatAccount,
  releaseChatAccount,
} from '#domain/account/twitch/lease-chat-account.ts';
import { listChatLogins } from '#domain/account/twitch/list-chat-logins.ts';
import { updateChatTokens } from '#domain/account/twitch/update-chat-tokens.ts';
import { db, setScene } from '#tests/support/scene.ts';
import { miraOnTwitch, noonMs, ottoOnTwitch, vault, viewerGrant } from './people.ts';

setScene();
beforeEach(async () => {
  for (const { twitchId, login } of [miraOnTwitch, ottoOnTwitch])
    await connectChatAccount(db, { vault, twitchId, login, grant: viewerGrant });
});
const lease = (holder: string, systemMs: number, { twitchId } = miraOnTwitch) =>
  leaseChatAccount(db, { twitchId, holder }, systemMs);

test('One process at a time has a chat account, until it releases it or falls silent', async () => {
  expect(await lease('one', noonMs)).toBe(true);
  expect(await lease('two', noonMs + CHAT_LEASE_MS - 1)).toBe(false);
  expect(await lease('two', noonMs, ottoOnTwitch)).toBe(true);
  expect(await lease('one', noonMs + 1)).toBe(true);
  expect(await lease('two', noonMs + CHAT_LEASE_MS)).toBe(false);
  expect(await lease('two', noonMs + CHAT_LEASE_MS + 1)).toBe(true);
  await releaseChatAccount(db, 'one');
  expect(await lease('one', noonMs + CHAT_LEASE_MS + 2)).toBe(false);
  await releaseChatAccount(db, 'two');
  expect(await lease('one', noonMs + CHAT_LEASE_MS + 2)).toBe(true);
  expect(await leaseChatAccount(db, { twitchId: 'unknown', holder: 'one' }, noonMs)).toBe(false);
});

test('The logins of chat accounts are listed while a process has them, except of a revoked grant', async () => {
  expect(await listChatLogins(db.read, noonMs)).toEqual([]);
  await lease('one', noonMs + 1, ottoOnTwitch);
  await lease('one', noonMs);
  const both = [miraOnTwitch.login, ottoOnTwitch.login];
  expect(await listChatLogins(db.read, noonMs + CHAT_LEASE_MS - 1)).toEqual(both);
  expect(await listChatLogins(db.read, noonMs + CHAT_LEASE_MS)).toEqual([ottoOnTwitch.login]);
  await updateChatTokens(db, {
    vault,
    twitchId: ottoOnTwitch.twitchId,
    grant: null,
    replacesObtainedAtMs: noonMs,
  });
  expect(await listChatLogins(db.read, noonMs)).toEqual([miraOnTwitch.login]);
});

test('A chat account is found by its login in any case, or by its Twitch id, with its own grant', async () => {
  const { twitchId, login } = ottoOnTwitch;
  const found = { twitchId, login, broken: false, grant: viewerGrant };
  expect(await findChatAccount(db, { vault, login: login.toUpperCase() })).toEqual(found);
  expect(await findChatAccount(db, { vault, twitchId })).toEqual(found);
  expect(await findChatAccount(db, { vault, login: 'nobody' })).toBeNull();
});
