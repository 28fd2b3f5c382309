import { afterEach, expect, test, vi } from 'vitest';
import { HELD_MS } from '#bot/leases.ts';
import { holdChatAccount } from '#bot/twitch/chat/chat-account.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import type { Database } from '#db/database.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { updateChatTokens } from '#domain/account/twitch/update-chat-tokens.ts';
import { endLeases } from '#tests/support/leases.ts';
import { skippableSteadyTime, skippableTime } from '#tests/support/passing-time.ts';
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
  const { stage, twitchId, one, other } = await setAccount();
  const { skip } = skippableTime();
  await one.take();
  skip(HELD_MS);
  expect(one.mayAnswer()).toBe(false);
  await endLeases(stage.db, [`chat:${twitchId}`]);
  expect(await other.take()).toMatchObject({ ok: true });
  expect(await one.renew(twitchId)).toBe(false);
  expect([one.mayAnswer(), other.mayAnswer()]).toEqual([false, true]);
});

test('A lease is renewed after a quarter of its time, and answers nothing after all of it, by either clock', async () => {
  const { twitchId, one } = await setAccount();
  await one.take();
  expect(one.renewInMs()).toBeGreaterThan(0);
  expect(one.renewInMs()).toBeLessThanOrEqual(HELD_MS / 4);
  for (const { skip } of [skippableSteadyTime(), skippableTime()]) {
    skip(HELD_MS / 4 + 1);
    expect([one.renewInMs() < 0, one.mayAnswer()]).toEqual([true, true]);
    skip((HELD_MS * 3) / 4);
    expect(one.mayAnswer()).toBe(false);
    expect(await one.renew(twitchId)).toBe(true);
    expect([one.renewInMs() > 0, one.mayAnswer()]).toEqual([true, true]);
  }
});

test('While the database does not answer, an account answers nothing, but is not given up', async () => {
  const { stage, twitchId } = await setAccount();
  const { skip } = skippableTime();
  let isAway = false;
  const store: Database = {
    ...stage.db,
    transaction: (decide, options) =>
      isAway ? Promise.reject(new Error('away')) : stage.db.transaction(decide, options),
    heartbeat: (write) => (isAway ? Promise.reject(new Error('away')) : stage.db.heartbeat(write)),
  };
  const { authUrl } = stage.deps.config.twitch;
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl });
  const one = holdChatAccount({ ...stage.deps, db: store }, { login: botLogin, oauth });
  await one.take();
  isAway = true;
  skip(HELD_MS);
  expect([await one.renew(twitchId), one.mayAnswer()]).toEqual([true, false]);
  isAway = false;
  expect([await one.renew(twitchId), one.mayAnswer()]).toEqual([true, true]);
});

test('An account whose tokens are dead is given up, though they are the same', async () => {
  const { stage, twitchId, grant, one } = await setAccount();
  const taken = await one.take();
  if (!taken.ok) throw new Error(taken.code);
  expect(await one.isCurrent(taken)).toBe(true);
  await updateChatTokens(stage.db, {
    vault: stage.vault,
    twitchId,
    grant: null,
    replacesObtainedAtMs: grant.obtainedAtMs,
  });
  expect(await one.isCurrent(taken)).toBe(false);
});
