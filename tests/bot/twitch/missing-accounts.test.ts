import { asc, eq } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import { readNames } from '#bot/twitch/channel/read-names.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { rules } from '#db/schema/rule.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { hour } from '#domain/kernel/time.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { clientId, clientSecret, goLive, link, type Stage, setChannel, setStage, until } from './stage.ts';

afterEach(() => {
  vi.useRealTimers();
});

const ruleOf = async (stage: Stage, ruleId: string) => {
  const [rule] = await stage.db.read.select().from(rules).where(eq(rules.id, ruleId));
  return rule?.pauseReason ?? rule?.state;
};

const mailed = async (stage: Stage) => {
  const rows = await stage.db.read.select({ template: mails.template }).from(mails).orderBy(asc(mails.id));
  return rows.map(({ template }) => template).filter((template) => template !== 'itemsUsable');
};

const linkOf = async (stage: Stage, userId: string) => (await getAccount(stage.db, { userId }))?.twitch;

/** The hourly reading of names, on the sandbox's Twitch. */
function hourly(stage: Stage) {
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl });
  const { api } = openTwitchAccess(stage.deps, { clientId, oauth });
  const read = readNames({ ...stage.deps, api });
  holdTime();
  return async () => {
    passTime(hour);
    await read();
  };
}

test('A suspended channel is told apart from a withdrawn permission; when it is back, its streamer has to connect', async () => {
  const stage = await setStage();
  const { streamer, ruleId } = await setChannel(stage);
  await stage.startBot();
  await goLive(stage, streamer.twitchId);
  stage.world.suspensions.add(streamer.twitchId);
  await until(
    () => linkOf(stage, streamer.userId),
    (twitch) => twitch?.state === 'restricted',
  );
  expect(await ruleOf(stage, ruleId)).toBe('channelMissing');
  expect(await linkOf(stage, streamer.userId)).toMatchObject({
    isMissing: true,
    streamingFeaturesEnabled: false,
  });
  expect(await mailed(stage)).toEqual(['channelMissing']);
  stage.world.suspensions.lift(streamer.twitchId);
  await hourly(stage)();
  expect(await ruleOf(stage, ruleId)).toBe('lostPermission');
  expect(await mailed(stage)).toEqual(['channelMissing', 'twitchRestricted']);
  await link(stage, streamer, streamerScopes);
  expect(await ruleOf(stage, ruleId)).toBe('open');
});

test('A suspended channel whose grant lives on is found by two readings an hour apart, and resumes by itself', async () => {
  const stage = await setStage();
  const { streamer, viewer, ruleId } = await setChannel(stage);
  const read = hourly(stage);
  stage.world.suspensions.add(streamer.twitchId, { keepsTokens: true });
  await read();
  expect(await ruleOf(stage, ruleId)).toBe('open');
  await read();
  expect(await ruleOf(stage, ruleId)).toBe('channelMissing');
  await read();
  expect(await mailed(stage)).toEqual(['channelMissing']);
  stage.world.suspensions.lift(streamer.twitchId);
  await read();
  expect(await ruleOf(stage, ruleId)).toBe('open');
  expect(await linkOf(stage, viewer.userId)).toMatchObject({ isMissing: false });
});

test('An account that one answer leaves out is not missing', async () => {
  const stage = await setStage();
  const { streamer, ruleId } = await setChannel(stage);
  const read = hourly(stage);
  for (let readings = 0; readings < 3; readings += 1) {
    stage.world.suspensions.add(streamer.twitchId, { keepsTokens: true });
    await read();
    stage.world.suspensions.lift(streamer.twitchId);
    await read();
  }
  expect(await ruleOf(stage, ruleId)).toBe('open');
  expect(await mailed(stage)).toEqual([]);
});

test('A missing account without rules is nobody’s trouble, and signing in with it ends the trouble', async () => {
  const stage = await setStage();
  const { viewer } = await setChannel(stage);
  const read = hourly(stage);
  stage.world.suspensions.add(viewer.twitchId, { keepsTokens: true });
  await read();
  await read();
  expect(await linkOf(stage, viewer.userId)).toMatchObject({ isMissing: true });
  expect(await mailed(stage)).toEqual([]);
  await link(stage, viewer, []);
  const [account] = await stage.db.read
    .select()
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, viewer.twitchId));
  expect(account?.missingSinceMs).toBeNull();
});

test('A viewer whose account is back is not mailed about a channel', async () => {
  const stage = await setStage();
  const { viewer } = await setChannel(stage);
  const read = hourly(stage);
  stage.world.suspensions.add(viewer.twitchId, { keepsTokens: true });
  await read();
  await read();
  await stage.db.transaction((tx) =>
    tx
      .update(twitchAccounts)
      .set({ state: 'restricted' })
      .where(eq(twitchAccounts.twitchId, viewer.twitchId)),
  );
  stage.world.suspensions.lift(viewer.twitchId);
  await read();
  expect(await linkOf(stage, viewer.userId)).toMatchObject({ isMissing: false, state: 'restricted' });
  expect(await mailed(stage)).toEqual([]);
});
