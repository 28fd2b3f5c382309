import type { BotDeps } from '#bot/deps.ts';
import {
  type ChannelPointsApi,
  creationRefusal,
  isGone,
  type RewardText,
  type ShownReward,
} from '#bot/twitch/channel-points-api.ts';
import { promptFor, titlesFor } from '#bot/twitch/custom-reward-text.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { CustomRewardFault, CustomRewardState } from '#db/schema/redemption.ts';
import { getChannelLocale } from '#domain/channel/get-channel-locale.ts';
import { hour, minute } from '#domain/clock.ts';
import {
  listBoundRewards,
  listCustomRewards,
  listWinnable,
  type RuleCustomReward,
} from '#domain/redemption/list-custom-rewards.ts';
import {
  beginCustomReward,
  confirmCustomReward,
  deferCustomReward,
  loseCustomReward,
} from '#domain/redemption/record-custom-reward.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';

/** What a person has to change first is asked about this rarely. System time. */
const RETRY_FAULT_MS: Record<CustomRewardFault, number> = {
  notAffiliate: hour,
  tooMany: 10 * minute,
  titleTaken: 10 * minute,
  permissionMissing: 10 * minute,
};
const LONGEST_PAUSE_MS = 10 * minute;
const MOST_AT_ONCE = 5;
const MOST_NAMES = 3;

type Deps = Pick<BotDeps, 'database' | 'clock' | 'log' | 'config'> & {
  points: ChannelPointsApi;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
};

/**
 * Brings each rule's custom reward on Twitch to where it should stand. Each step is written down only after Twitch
 * confirmed it, so that a crash anywhere repeats a step and never forgets one.
 */
export function keepCustomRewards(deps: Deps) {
  const { database, clock, log, points, onFault, retryAfterMs } = deps;
  const failures = new Map<string, number>();
  /** Rules whose custom reward is shown as it should be, but says or costs something else. */
  const changed = new Set<string>();
  const confirm = (ruleId: string, confirmed: { state: CustomRewardState; twitchRewardId?: string }) =>
    confirmCustomReward(database, { ruleId, ...confirmed }, clock.now());

  const textOf = async (reward: RuleCustomReward): Promise<Omit<RewardText, 'title'>> => ({
    cost: reward.cost,
    prompt: promptFor({
      locale: await getChannelLocale(database.read, reward.channelId),
      winnable: await listWinnable(database.read, reward.ruleId, MOST_NAMES),
      host: deps.config.publicUrl.host,
    }),
  });

  /** Ours, under a title of this rule's, and no other rule's: created by a call whose answer was lost. */
  const findLost = async (reward: RuleCustomReward): Promise<ShownReward | null> => {
    const titles: readonly string[] = titlesFor(reward);
    const listed = (await points.list(reward.channelId)).filter(({ title }) => titles.includes(title));
    const bound = await listBoundRewards(
      database.read,
      listed.map(({ id }) => id),
    );
    return listed.find(({ id }) => (bound.get(id) ?? reward.ruleId) === reward.ruleId) ?? null;
  };

  const create = async (reward: RuleCustomReward): Promise<ShownReward> => {
    const [title, otherTitle] = titlesFor(reward);
    const text = await textOf(reward);
    try {
      return await points.createHidden(reward.channelId, { ...text, title });
    } catch (error) {
      if (creationRefusal(error) !== 'titleTaken') throw error;
      // Perhaps it is taken by what a lost answer was about.
      const lost = await findLost(reward);
      return lost ?? (await points.createHidden(reward.channelId, { ...text, title: otherTitle }));
    }
  };

  const bringForth = async (reward: RuleCustomReward): Promise<void> => {
    const { ruleId, channelId, desired } = reward;
    const isFirst = await beginCustomReward(database, { ruleId, channelId });
    const lost = isFirst ? null : await findLost(reward);
    if (!lost && desired === 'deleted') return confirm(ruleId, { state: 'deleted' });
    const { id: twitchRewardId, state } = lost ?? (await create(reward));
    log.info({ ruleId, channelId, twitchRewardId }, 'a custom reward stands on Twitch');
    await confirm(ruleId, { twitchRewardId, state });
  };

  const show = async (reward: RuleCustomReward, twitchRewardId: string, state: CustomRewardState) => {
    const { ruleId, channelId } = reward;
    const text = state === 'disabled' ? {} : await textOf(reward);
    const flags = { isEnabled: state !== 'disabled', isPaused: state === 'paused' };
    const confirmed = await points.update(channelId, twitchRewardId, { ...text, ...flags });
    changed.delete(ruleId);
    await confirm(ruleId, { state: confirmed.state });
  };

  /** Hidden first, then looked through: what was redeemed in the last moment and not heard of would count as kept. */
  const takeAway = async (reward: RuleCustomReward, twitchRewardId: string): Promise<void> => {
    const { ruleId, channelId, state } = reward;
    if (state !== 'disabled') return show(reward, twitchRewardId, 'disabled');
    const waiting = await points.unfulfilled(channelId, twitchRewardId);
    for (const told of waiting) await recordRedemption(database, told, clock.now());
    if (waiting.length > 0) return;
    await points.remove(channelId, twitchRewardId).catch((error) => {
      if (!isGone(error)) throw error;
    });
    log.info({ ruleId, channelId, twitchRewardId }, 'a custom reward was taken off Twitch');
    await confirm(ruleId, { state: 'deleted' });
  };

  const settle = (reward: RuleCustomReward): Promise<void> => {
    const { twitchRewardId, desired } = reward;
    if (!twitchRewardId) return bringForth(reward);
    return desired === 'deleted' ? takeAway(reward, twitchRewardId) : show(reward, twitchRewardId, desired);
  };

  const noteTrouble = async (reward: RuleCustomReward, error: unknown): Promise<void> => {
    const { ruleId, channelId, twitchRewardId } = reward;
    if (isGone(error) && twitchRewardId) return void (await loseIfGone(deps, { ...reward, twitchRewardId }));
    const cause = twitchFaultOf(error);
    const fault = faultOf(error, cause);
    const failed = (failures.get(ruleId) ?? 0) + 1;
    failures.set(ruleId, failed);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, retryAfterMs * 2 ** Math.min(failed - 1, 10));
    const retryAtMs = Date.now() + (fault ? RETRY_FAULT_MS[fault] : pauseMs) * (0.8 + 0.4 * Math.random());
    log.warn(
      { ruleId, channelId, code: fault ?? cause.code, err: cause },
      'a custom reward is not as it should be',
    );
    await deferCustomReward(database, { ruleId, fault, retryAtMs: Math.round(retryAtMs) }, clock.now());
    await onFault(channelId, cause);
  };

  return {
    /** Puts it right in the next round. */
    changedByHand: (ruleId: string): void => void changed.add(ruleId),
    async round(signal: AbortSignal): Promise<void> {
      const known = await listCustomRewards(database.read, clock.now(), Date.now());
      const due = known.filter(({ ruleId, state, desired }) => state !== desired || changed.has(ruleId));
      for (let from = 0; from < due.length && !signal.aborted; from += MOST_AT_ONCE)
        await Promise.all(
          due.slice(from, from + MOST_AT_ONCE).map(async (reward) => {
            try {
              await settle(reward);
              failures.delete(reward.ruleId);
            } catch (error) {
              await noteTrouble(reward, error);
            }
          }),
        );
    },
  };
}

function faultOf(error: unknown, { code }: TwitchFault): CustomRewardFault | null {
  if (code === 'notAffiliate' || code === 'permissionMissing') return code;
  return creationRefusal(error);
}

/**
 * Looks whether a custom reward that Twitch did not find has really gone, which only the streamer can have done, and
 * notes it. False: it is there.
 */
export async function loseIfGone(
  { database, clock, log, points }: Pick<Deps, 'database' | 'clock' | 'log' | 'points'>,
  { ruleId, channelId, twitchRewardId }: { ruleId: string; channelId: string; twitchRewardId: string },
): Promise<boolean> {
  if ((await points.list(channelId)).some(({ id }) => id === twitchRewardId)) return false;
  const ended = await loseCustomReward(database, { ruleId, channelId, twitchRewardId }, clock.now());
  log.warn(
    { ruleId, channelId, ended },
    'a custom reward was deleted on Twitch; its open redemptions count as kept',
  );
  return true;
}
