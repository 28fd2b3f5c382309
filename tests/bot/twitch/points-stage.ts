import { eq } from 'drizzle-orm';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { channelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { customRewards } from '#db/schema/redemption.ts';
import { minute } from '#domain/kernel/time.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
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

/** The channel's custom rewards on Twitch. */
export const shownOn = (stage: Stage, channelId: string): CustomReward[] =>
  stage.world.channelPoints.rewardsOf(channelId);

/** Waits for a state of the channel's only custom reward. */
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

/** Reads the stored state of a rule's custom reward. */
export async function recordOf(stage: Stage, ruleId: string) {
  const [row] = await stage.db.read.select().from(customRewards).where(eq(customRewards.ruleId, ruleId));
  return row;
}

/** Ends the pause before the next step of a rule's custom reward. */
export const makeRewardDue = (stage: Stage, ruleId: string) =>
  stage.db.transaction(async (tx) => {
    await tx.update(customRewards).set({ retryAtMs: 0 }).where(eq(customRewards.ruleId, ruleId));
  });

/** A live streamer with a points rule and an enabled custom reward, and a viewer. */
export async function setPointsChannel(stage: Stage, rule: Parameters<typeof setChannel>[1] = {}) {
  const set = await setChannel(stage, { ...asksPoints, ...rule });
  const channelId = set.streamer.twitchId;
  const bot = await stage.startBot();
  await goLive(stage, channelId);
  const { id: twitchRewardId } = await whenShown(stage, channelId, isOpen);
  await until(
    () => recordOf(stage, set.ruleId),
    (note) => note?.state === 'enabled',
  );
  return { ...set, channelId, twitchRewardId, bot };
}

/** Dependencies to run one part of the bot alone, without events and other parts. */
export function givenAlone(stage: Stage) {
  const access = openTwitchAccess(stage.deps, {
    clientId,
    oauth: twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl }),
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

/** Redeems it as the viewer. */
export function redeem(
  stage: Stage,
  { channelId, twitchRewardId }: { channelId: string; twitchRewardId: string },
  { twitchId }: { twitchId: string },
): Redemption {
  const outcome = stage.world.redeem(channelId, twitchId, twitchRewardId);
  if (!outcome.ok) throw new Error(`Twitch refused the redemption: ${outcome.code}`);
  return outcome.redemption;
}

/** A redemption's status on Twitch. */
export const statusOf = (stage: Stage, channelId: string, id: string): string | undefined =>
  stage.world.channelPoints.redemptionsOf(channelId).find((one) => one.id === id)?.status;

/** Waits until all redemptions of a rule are stored in these states, in any order. */
export const whenRecorded = (stage: Stage, ruleId: string, states: readonly string[]) =>
  until(
    () => redemptionsOf(stage.db, ruleId),
    (rows) => JSON.stringify(rows.map(({ state }) => state).sort()) === JSON.stringify([...states].sort()),
  );
