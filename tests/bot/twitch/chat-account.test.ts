import { afterEach, expect, test, vi } from 'vitest';
import { holdChatAccount } from '#bot/twitch/chat/chat-account.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { CHAT_LEASE_MS } from '#domain/account/twitch/lease-chat-account.ts';
import { updateChatTokens } from '#domain/account/twitch/update-chat-tokens.ts';
import { hour } from '#domain/kernel/time.ts';
import { botLogin, clientId, clientSecret, grantOf, setStage } from './stage.ts';

afterEach(() => vi.restoreAllMocks());

/** The connected chat account, as used by two processes. */
async function setAccount() {
  const stage = await setStage();
  const { id: twitchId, login } = stage.world.addUser({ login: botLogin });
  const grant = grantOf(stage, twitchId, ['chat:read', 'chat:edit']);
  await connectChatAccount(stage.db, { vault: stage.vault, twitchId, login, grant });
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl });
  const hold = () => holdChatAccount(stage.deps, { login, oauth });
  return { stage, twitchId, grant, one: hold(), other: hold() };
}

test('One of two processes answers, and the other takes over when it has stopped', async () => {
  const { one, other } = await setAccount();
  expect(await one.take()).toMatchObject({ ok: true });
  expect(await other.take()).toEqual({ ok: false, code: 'elsewhere' });
  expect([one.mayAnswer(), other.mayAnswer()]).toEqual([true, false]);
  await one.release();
  expect(await other.take()).toMatchObject({ ok: true });
  expect(other.mayAnswer()).toBe(true);
});

test('A process suspended for longer than its lease answers nothing until it holds the lease again', async () => {
  const { one, other } = await setAccount();
  const taken = await one.take();
  if (!taken.ok) throw new Error(taken.code);
  const startedMs = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => startedMs + CHAT_LEASE_MS + 1000);
  expect(one.mayAnswer()).toBe(false);
  expect(await other.take()).toMatchObject({ ok: true });
  expect(await one.renew(taken)).toBe(false);
  expect([one.mayAnswer(), other.mayAnswer()]).toEqual([false, true]);
});

test('A lease that was taken while the clock was ahead neither outlasts others nor stays unrenewed', async () => {
  const { one, other } = await setAccount();
  const nowMs = Date.now();
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => nowMs + 6 * hour);
  const taken = await one.take();
  if (!taken.ok) throw new Error(taken.code);
  clock.mockImplementation(() => nowMs);
  expect(one.renewInMs()).toBe(0);
  expect(await one.renew(taken)).toBe(true);
  expect(one.renewInMs()).toBe(CHAT_LEASE_MS / 2);
  clock.mockImplementation(() => nowMs + 6 * hour);
  expect(await one.renew(taken)).toBe(true);
  clock.mockImplementation(() => nowMs);
  expect(await other.take()).toMatchObject({ ok: true });
});

test('An account whose tokens are dead is given up, though they are the same', async () => {
  const { stage, twitchId, grant, one } = await setAccount();
  const taken = await one.take();
  if (!taken.ok) throw new Error(taken.code);
  expect(await one.renew(taken)).toBe(true);
  await updateChatTokens(stage.db, {
    vault: stage.vault,
    twitchId,
    grant: null,
    replacesObtainedAtMs: grant.obtainedAtMs,
  });
  expect(await one.renew(taken)).toBe(false);
});
