import { eq } from 'drizzle-orm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { workerRounds } from '#bot/metrics.ts';
import { createGrantKeeper } from '#bot/twitch/grants/grant-keeper.ts';
import { chatGrants, linkGrants } from '#bot/twitch/grants/grant-stores.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import type { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { watchGaps } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { findTwitchGrant } from '#domain/account/twitch/find-twitch-grant.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { minute } from '#domain/kernel/time.ts';
import { endAllLeases, occupyLeases } from '#tests/support/leases.ts';
import {
  addTwitchPerson,
  botLogin,
  clientId,
  clientSecret,
  goLive,
  grantOf,
  link,
  pass,
  type Stage,
  setChannel,
  setStage,
  until,
  watched,
} from './stage.ts';

/** Counts the refreshes that the sandbox received and granted. */
function countRefreshes(stage: Stage) {
  const counts = { asked: 0, granted: 0 };
  const refresh = stage.world.tokens.refresh.bind(stage.world.tokens);
  stage.world.tokens.refresh = (...given) => {
    counts.asked += 1;
    const token = refresh(...given);
    if (token) counts.granted += 1;
    return token;
  };
  return counts;
}

const oauthOf = (stage: Stage, secret = clientSecret) =>
  twitchOAuth({ clientId, clientSecret: secret, authUrl: stage.deps.config.twitch.authUrl });

const keeperOf = (stage: Stage, secret = clientSecret) =>
  createGrantKeeper(linkGrants(stage.deps), oauthOf(stage, secret));

async function linkOf(stage: Stage, twitchId: string) {
  const [row] = await stage.db.read
    .select({ state: twitchAccounts.state })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, twitchId));
  return row?.state;
}

const ruleOf = async (stage: Stage, ruleId: string) => {
  const [rule] = await stage.db.read.select().from(rules).where(eq(rules.id, ruleId));
  return rule && { state: rule.state, reason: rule.pauseReason };
};

/** Counts the rounds in which chats were looked at. */
const watchRounds = async (): Promise<number> =>
  (await workerRounds.get()).values.find(
    ({ labels, metricName }) =>
      labels.worker === 'watch-chatters' && metricName === 'keepsake_worker_round_seconds_count',
  )?.value ?? 0;

describe('A streamer’s grant', () => {
  test('that expired is refreshed once for everything that needs it, and watching continues', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage, { followDays: 1 });
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    const refreshes = countRefreshes(stage);
    stage.world.expireTokens(streamer.twitchId);
    await pass(stage, streamer.twitchId);
    expect(refreshes).toEqual({ asked: 1, granted: 1 });
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 60 });
    const grant = await findTwitchGrant(stage.db, { vault: stage.vault, twitchId: streamer.twitchId });
    expect(stage.world.tokens.findValid(grant!.accessToken)).not.toBeNull();
  });

  test('is refreshed once for any number of callers, and by two processes without harm', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const refreshes = countRefreshes(stage);
    const [one, other] = [keeperOf(stage), keeperOf(stage)];
    const grants = await Promise.all(
      [one, one, one, other, other].map((keeper) => keeper.refresh(streamer.twitchId)),
    );
    expect(refreshes.granted).toBe(1);
    expect(refreshes.asked).toBeLessThanOrEqual(2);
    expect(new Set(grants.map((grant) => grant.accessToken)).size).toBe(1);
    expect(stage.world.tokens.findValid(grants[0]!.accessToken)).not.toBeNull();
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
  });

  test('obtained while the host’s clock was ahead is refreshed all the same', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const refreshes = countRefreshes(stage);
    await stage.db.transaction(async (tx) =>
      tx.update(twitchAccounts).set({ tokenObtainedAtMs: Date.now() + 300 * minute }),
    );
    const renewed = await keeperOf(stage).refresh(streamer.twitchId);
    expect(refreshes.granted).toBe(1);
    expect(renewed.obtainedAtMs).toBeLessThanOrEqual(Date.now());
  });

  test('that is refreshed while another process takes the lease is stored all the same', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const { id: accountId, login } = stage.world.addUser({ login: botLogin });
    const grant = grantOf(stage, accountId, ['chat:read', 'chat:edit']);
    await connectChatAccount(stage.db, { vault: stage.vault, twitchId: accountId, login, grant });
    const chat = createGrantKeeper(chatGrants(stage.deps), oauthOf(stage));
    await endAllLeases(stage.db);
    await occupyLeases(stage.db, ['twitch:0']);
    const renewed = [await keeperOf(stage).refresh(streamer.twitchId), await chat.refresh(accountId)];
    for (const { accessToken } of renewed) expect(stage.world.tokens.findValid(accessToken)).not.toBeNull();
  });

  test('survives an outage of the token endpoint', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const keeper = keeperOf(stage);
    stage.world.faults.failNext({ answer: 503, path: '/auth/token' });
    await expect(keeper.refresh(streamer.twitchId)).rejects.toMatchObject({
      code: 'unavailable',
      retry: 'later',
    });
    stage.world.faults.failNext({ answer: 'drop', path: '/auth/token' });
    await expect(keeper.refresh(streamer.twitchId)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
    const renewed = await keeper.refresh(streamer.twitchId);
    expect(stage.world.tokens.findValid(renewed.accessToken)).not.toBeNull();
  });

  test('is refreshed although Twitch answers without scopes', async () => {
    const answer = { access_token: 'one', refresh_token: 'other', expires_in: 1 };
    const asked = vi.spyOn(globalThis, 'fetch');
    onTestFinished(() => asked.mockRestore());
    const authUrl = new URL('http://localhost:1/auth');
    const { refresh } = twitchOAuth({ clientId, clientSecret, authUrl });
    const old = { accessToken: '', refreshToken: '', scopes: [], obtainedAtMs: 0, lifetimeSeconds: 0 };
    for (const scope of [null, undefined, [], ['']]) {
      asked.mockResolvedValueOnce(Response.json({ ...answer, scope }));
      expect(await refresh(old)).toMatchObject({ accessToken: 'one', refreshToken: 'other', scopes: [] });
    }
  });

  test('is not given up for the fault of the one before', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const keeper = keeperOf(stage);
    const { obtainedAtMs } = await keeper.find(streamer.twitchId);
    await keeper.refresh(streamer.twitchId);
    await keeper.giveUp(streamer.twitchId, { obtainedAtMs });
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
    await keeper.giveUp(streamer.twitchId, await keeper.check(streamer.twitchId));
    expect(await linkOf(stage, streamer.twitchId)).toBe('restricted');
  });

  test('is not blamed for a wrong client secret', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const refused = keeperOf(stage, 'another word').refresh(streamer.twitchId);
    await expect(refused).rejects.toMatchObject({ code: 'applicationRefused', retry: 'afterHuman' });
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
  });

  test('that was revoked restricts the link and pauses the rules; a new one resumes them', async () => {
    const stage = await setStage();
    const { streamer, viewer, ruleId } = await setChannel(stage);
    const bot = await stage.startBot();
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    stage.world.revokeAuthorization(streamer.twitchId);
    await until(
      () => ruleOf(stage, ruleId),
      (rule) => rule?.state === 'paused',
    );
    // Two, because one may have begun before.
    for (let seen = 0; seen < 2; seen++) {
      const before = await watchRounds();
      bot.nudge();
      await until(watchRounds, (rounds) => rounds > before);
    }
    expect(await ruleOf(stage, ruleId)).toEqual({ state: 'paused', reason: 'lostPermission' });
    expect(await linkOf(stage, streamer.twitchId)).toBe('restricted');
    stage.advance(100_000);
    await link(stage, streamer, streamerScopes);
    expect(await ruleOf(stage, ruleId)).toEqual({ state: 'open', reason: null });
    // The bot reads again as soon as it may; the time until then is the gap.
    await pass(stage, streamer.twitchId, 0);
    expect(await stage.db.read.select().from(watchGaps)).toMatchObject([{ reason: 'permissionLost' }]);
    await pass(stage, streamer.twitchId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 120 });
  });

  test('reported by several callers at once is checked once, and logged once', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const oauth = twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl });
    const validate = vi.fn(oauth.validate);
    const warn = vi.spyOn(stage.deps.log, 'warn');
    const { check } = openTwitchAccess(stage.deps, {
      clientId,
      oauth: { ...oauth, validate },
    });
    stage.world.revokeAuthorization(streamer.twitchId);
    await Promise.all([1, 2, 3].map(() => check(streamer.twitchId)));
    expect(await linkOf(stage, streamer.twitchId)).toBe('restricted');
    expect(validate).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls.filter(([, words]) => words === 'could not check a grant')).toHaveLength(1);
    // The result is not cached.
    await link(stage, streamer, streamerScopes);
    await check(streamer.twitchId);
    expect(validate).toHaveBeenCalledTimes(2);
  });

  test('that is refused while reading chatters restricts the link too', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage);
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    // Without an event: the socket that would report it lost its token too.
    stage.world.tokens.revokeUser(streamer.twitchId);
    stage.advance(60_000);
    await until(
      () => ruleOf(stage, ruleId),
      (rule) => rule?.state === 'paused',
    );
    expect(await linkOf(stage, streamer.twitchId)).toBe('restricted');
  });

  test('that lacks a permission restricts the link', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage);
    const grant = await findTwitchGrant(stage.db, { vault: stage.vault, twitchId: streamer.twitchId });
    stage.world.tokens.findValid(grant!.accessToken)!.scopes = ['moderator:read:followers'];
    stage.world.faults.failNext({ answer: 403, path: '/mock/chat/chatters' });
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    stage.advance(60_000);
    await until(
      () => ruleOf(stage, ruleId),
      (rule) => rule?.state === 'paused',
    );
    expect(await linkOf(stage, streamer.twitchId)).toBe('restricted');
  });

  /** Reads the chatters at these minutes; each reading but those of `answered` is refused. */
  async function readRefused(stage: Stage, channelId: string, minutes: number[], answered: number[] = []) {
    let nowMs = 0;
    const oauth = twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl });
    const { api, onFault } = openTwitchAccess(stage.deps, {
      clientId,
      oauth,
      now: () => nowMs,
    });
    for (const at of minutes) {
      nowMs = at * minute;
      if (!answered.includes(at)) stage.world.faults.failNext({ answer: 403, path: '/mock/chat/chatters' });
      await api.chattersOf(channelId).catch((error: TwitchFault) => onFault(channelId, error));
    }
  }

  test('that is refused although it allows the call restricts the link after a quarter of an hour', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    await readRefused(stage, streamer.twitchId, [0, 5, 14]);
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
    await readRefused(stage, streamer.twitchId, [0, 5, 14, 15]);
    expect(await linkOf(stage, streamer.twitchId)).toBe('restricted');
  });

  test('that is refused now and then stays connected', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    await readRefused(stage, streamer.twitchId, [0, 10, 16, 26], [10]);
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
  });

  test('of another streamer is not affected', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage);
    const other = await addTwitchPerson(stage, { streams: true });
    await stage.startBot();
    stage.world.revokeAuthorization(streamer.twitchId);
    await until(
      () => ruleOf(stage, ruleId),
      (rule) => rule?.state === 'paused',
    );
    expect(await linkOf(stage, other.twitchId)).toBe('connected');
  });
});
