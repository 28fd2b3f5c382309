import { eq } from 'drizzle-orm';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { channelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { customRewards } from '#db/schema/redemption.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { minute } from '#domain/time.ts';
import type { CustomReward, Redemption } from '#sandbox/twitch/world-state.ts';
import { redemptionsOf } from '#tests/support/redemptions.ts';
import { clientId, clientSecret, goLive, type Stage, setChannel, until } from './stage.ts';

export const asksPoints = {
  watchMinutes: null,
  pointsCost: 500,
  name: 'A case for the crew',
} satisfies Partial<RuleDraft>;

export const isOpen = (reward: CustomReward) => reward.isEnabled && !reward.isPaused;
export const isPaused = (reward: CustomReward) => reward.isEnabled && reward.isPaused;

/** The channel's custom rewards, as Twitch has them. */
export const shownOn = (stage: Stage, channelId: string): CustomReward[] =>
  stage.world.channelPoints.rewardsOf(channelId);

/** Waits until the channel's only custom reward is so. */
export async function whenShown(
  stage: Stage,
  channelId: string,
  holds: (reward: CustomReward) => boolean,
): Promise<CustomReward> {
  const [reward] = await until(
    () => shownOn(stage, channelId),
    (all) => all.length === 1 && all.every(holds),
  );
  if (!reward) throw new Error(`no custom reward on ${channelId}`);
  return reward;
}

/** What is written down of a rule's custom reward. */
export async function noteOf(stage: Stage, ruleId: string) {
  const [row] = await stage.database.read
    .select()
    .from(customRewards)
    .where(eq(customRewards.ruleId, ruleId));
  return row;
}

/** A streamer who is live, with a rule that asks for points and whose custom reward is open, and a viewer. */
export async function setPointsChannel(stage: Stage, rule: Parameters<typeof setChannel>[1] = {}) {
  const set = await setChannel(stage, { ...asksPoints, ...rule });
  const channelId = set.streamer.twitchId;
  const bot = await stage.startBot();
  await goLive(stage, channelId);
  const { id: twitchRewardId } = await whenShown(stage, channelId, isOpen);
  await until(
    () => noteOf(stage, set.ruleId),
    (note) => note?.state === 'enabled',
  );
  return { ...set, channelId, twitchRewardId, bot };
}

/** What one part of the bot is given, to let it work alone: without events and without the other parts. */
export function givenAlone(stage: Stage) {
  const access = openTwitchAccess(stage.deps, {
    clientId,
    oauth: twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl }),
    permissionLost: () => {},
  });
  return {
    ...stage.deps,
    ...access,
    points: channelPointsApi(access.api),
    retryAfterMs: minute,
    restMs: minute,
    wake: () => {},
  };
}

export const goOn = (): AbortSignal => new AbortController().signal;

/** Spends points on it, as the viewer. */
export function redeem(
  stage: Stage,
  { channelId, twitchRewardId }: { channelId: string; twitchRewardId: string },
  { twitchId }: { twitchId: string },
): Redemption {
  const outcome = stage.world.redeem(channelId, twitchId, twitchRewardId);
  if (!outcome.ok) throw new Error(`Twitch refused the redemption: ${outcome.code}`);
  return outcome.redemption;
}

/** A redemption's status at Twitch. */
export const statusOf = (stage: Stage, channelId: string, id: string): string | undefined =>
  stage.world.channelPoints.redemptionsOf(channelId).find((one) => one.id === id)?.status;

/** Waits until all redemptions of a rule are written down in these states, in any order. */
export const whenNoted = (stage: Stage, ruleId: string, states: readonly string[]) =>
  until(
    () => redemptionsOf(stage.database, ruleId),
    (rows) => JSON.stringify(rows.map(({ state }) => state).sort()) === JSON.stringify([...states].sort()),
  );
