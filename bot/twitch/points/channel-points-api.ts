import type { HelixCustomReward, HelixCustomRewardRedemption } from '@twurple/api';
import { getRawData } from '@twurple/common';
import { call, type TwitchApi, throwAffiliateFault } from '#bot/twitch/api.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { CustomRewardState } from '#db/schema/redemption.ts';
import { customRewardStateOf } from '#domain/redemption/desired-custom-reward.ts';
import type { ReportedRedemption } from '#domain/redemption/record-redemption.ts';
import type { TwitchRedemptionStatus } from '#domain/redemption/redemption-machine.ts';
import { byRedeemedAt } from '#domain/redemption/redemption-order.ts';

/** A custom reward as Twitch shows it. */
export interface TwitchReward {
  id: string;
  title: string;
  prompt: string;
  cost: number;
  state: CustomRewardState;
  /** Redemptions would skip the streamer's queue and be fulfilled at once. */
  skipsQueue: boolean;
}

/** A custom reward's texts and cost. */
export interface RewardText {
  title: string;
  prompt: string;
  cost: number;
}

export type ChannelPointsApi = ReturnType<typeof channelPointsApi>;

/** The most redemptions that Twitch accepts in one call. */
export const MAX_REDEMPTIONS = 50;
/** Twurple never requests more than Twitch's default page, however many ids are given. */
const PAGE = 20;
/** Enough for half a million redemptions: more pages than that mean that Twitch's cursor loops. */
const MAX_PAGES = 10_000;

/** One redemption per viewer and stream; it waits in the streamer's queue until we settle it. */
const settings = { autoFulfill: false, userInputRequired: false, maxRedemptionsPerUserPerStream: 1 } as const;

/**
 * Custom rewards and their redemptions, with the broadcaster's grant. A failed call throws a `TwitchFault`; `isMissing`
 * recognizes errors about things that do not exist (any more).
 */
export function channelPointsApi({ clientFor, application }: Pick<TwitchApi, 'clientFor' | 'application'>) {
  const pointsOf = (channelId: string): Points => ({
    helix: clientFor(channelId).channelPoints,
    ask: (request) => call(request).catch((error) => throwPointsFault(application, channelId, error)),
  });
  return { ...customRewardsApi(pointsOf), ...redemptionsApi(pointsOf) };
}

/** One channel's points. */
interface Points {
  helix: ReturnType<TwitchApi['clientFor']>['channelPoints'];
  /** Awaits a call of `helix` and converts what it throws into a `TwitchFault`. */
  ask<T>(request: Promise<T>): Promise<T>;
}
type PointsOf = (channelId: string) => Points;

function customRewardsApi(pointsOf: PointsOf) {
  return {
    /** Lists only those that our application created: Twitch lets nobody else manage them. */
    async list(channelId: string): Promise<TwitchReward[]> {
      const { helix, ask } = pointsOf(channelId);
      return (await ask(helix.getCustomRewards(channelId, true))).map(toTwitchReward);
    },
    /** The titles of all custom rewards, whoever created them. */
    async titles(channelId: string): Promise<string[]> {
      const { helix, ask } = pointsOf(channelId);
      return (await ask(helix.getCustomRewards(channelId, false))).map(({ title }) => title);
    },
    /** Creates it hidden from viewers, so that nothing is redeemed before its id is stored. */
    async createHidden(channelId: string, text: RewardText): Promise<TwitchReward> {
      const { helix, ask } = pointsOf(channelId);
      const fields = { ...settings, ...text, isEnabled: false };
      return toTwitchReward(await ask(helix.createCustomReward(channelId, fields)));
    },
    async update(
      channelId: string,
      rewardId: string,
      fields: Partial<RewardText> & { isEnabled: boolean; isPaused: boolean },
    ): Promise<TwitchReward> {
      const { helix, ask } = pointsOf(channelId);
      const wanted = { ...settings, ...fields };
      return toTwitchReward(await ask(helix.updateCustomReward(channelId, rewardId, wanted)));
    },
    async remove(channelId: string, rewardId: string): Promise<void> {
      const { helix, ask } = pointsOf(channelId);
      await ask(helix.deleteCustomReward(channelId, rewardId));
    },
  };
}

function redemptionsApi(pointsOf: PointsOf) {
  return {
    /** Every redemption in the streamer's queue, oldest first. */
    async listUnfulfilled(
      channelId: string,
      rewardId: string,
      signal?: AbortSignal,
    ): Promise<ReportedRedemption[]> {
      const found: ReportedRedemption[] = [];
      const pages = pagesOf(pointsOf(channelId), { channelId, rewardId, status: 'UNFULFILLED', signal });
      for await (const page of pages) found.push(...page.map(toReported));
      return byRedeemedAt(found);
    },
    /** Returns whether Twitch shows an open redemption of a custom reward, which is then not deleted. */
    async hasRedemptions(channelId: string, rewardId: string): Promise<boolean> {
      const query = { channelId, rewardId, status: 'UNFULFILLED' } as const;
      try {
        for await (const page of pagesOf(pointsOf(channelId), query)) if (page.length > 0) return true;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      return false;
    },
    /**
     * Fulfilled redemptions that we do not know: the streamer may fulfil one by hand while we are not listening. Reads
     * from the newest until one is known.
     */
    async listUnknownFulfilled(
      channelId: string,
      rewardId: string,
      listKnown: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
      signal: AbortSignal,
    ): Promise<ReportedRedemption[]> {
      const found: ReportedRedemption[] = [];
      const query = { channelId, rewardId, status: 'FULFILLED', newestFirst: true, signal } as const;
      for await (const page of pagesOf(pointsOf(channelId), query)) {
        const known = await listKnown(page.map(({ id }) => id));
        found.push(...page.filter(({ id }) => !known.has(id)).map(toReported));
        if (known.size > 0) break;
      }
      return found;
    },
    /** Reads the status of redemptions. Twitch omits those that ended days ago. */
    async read(channelId: string, rewardId: string, ids: readonly string[]): Promise<ReportedRedemption[]> {
      const { helix, ask } = pointsOf(channelId);
      const found: ReportedRedemption[] = [];
      for (let from = 0; from < ids.length; from += PAGE) {
        const some = ids.slice(from, from + PAGE);
        found.push(...(await ask(helix.getRedemptionsByIds(channelId, rewardId, some))).map(toReported));
      }
      return found;
    },
    /** Settles at most `MAX_REDEMPTIONS`. If one is no longer in the queue, throws a missing error and changes none. */
    async settle(
      channelId: string,
      rewardId: string,
      ids: readonly string[],
      status: Exclude<TwitchRedemptionStatus, 'UNFULFILLED'>,
    ): Promise<ReportedRedemption[]> {
      const { helix, ask } = pointsOf(channelId);
      const settled = await ask(helix.updateRedemptionStatusByIds(channelId, rewardId, [...ids], status));
      return settled.map(toReported);
    },
  };
}

interface RedemptionQuery {
  channelId: string;
  rewardId: string;
  status: 'UNFULFILLED' | 'FULFILLED';
  newestFirst?: boolean;
  signal?: AbortSignal | undefined;
}

/** Pages of a custom reward's redemptions in one status. */
async function* pagesOf(
  { helix, ask }: Points,
  { channelId, rewardId, status, newestFirst = false, signal }: RedemptionQuery,
): AsyncGenerator<HelixCustomRewardRedemption[]> {
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    signal?.throwIfAborted();
    const options = { limit: MAX_REDEMPTIONS, newestFirst, ...(after && { after }) };
    const { data, cursor } = await ask(
      helix.getRedemptionsForBroadcaster(channelId, rewardId, status, options),
    );
    yield data;
    if (!cursor || cursor === after || data.length === 0) return;
    after = cursor;
  }
}

const toTwitchReward = (reward: HelixCustomReward): TwitchReward => ({
  id: reward.id,
  title: reward.title,
  prompt: reward.prompt,
  cost: reward.cost,
  state: customRewardStateOf(reward),
  skipsQueue: reward.autoFulfill,
});

const toReported = (redemption: HelixCustomRewardRedemption): ReportedRedemption => ({
  id: redemption.id,
  twitchRewardId: redemption.rewardId,
  twitchId: redemption.userId,
  redeemedAtMs: redemption.redemptionDate.getTime(),
  status: getRawData(redemption).status,
});

/** A 403 may also mean that another application created the reward. */
async function throwPointsFault(
  application: TwitchApi['application'],
  channelId: string,
  error: unknown,
): Promise<never> {
  const { status, text } = answerIn(error);
  if (status === 403 && /client.?id/i.test(text)) throw new TwitchFault('refused', text, error);
  return throwAffiliateFault(application, channelId, error);
}

/** Twitch's status and message, if there are any. */
function answerIn(error: unknown): { status: number | null; text: string } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { statusCode } = cause as { statusCode?: number };
    if (statusCode !== undefined) return { status: statusCode, text: cause.message };
  }
  return { status: null, text: String(error) };
}

/**
 * Returns whether the custom reward does not exist, or one of the redemptions does not have the expected
 * status.
 */
export const isMissing = (error: unknown): boolean => answerIn(error).status === 404;

/**
 * Returns which words of a custom reward AutoMod refuses: CREATE_CUSTOM_REWARD_PROMPT_AUTOMOD_FAILED and its
 * like, for the title and for updates (seluvia/crystal-relay-public issue 44).
 */
export function refusedWords(error: unknown): 'title' | 'prompt' | null {
  const { status, text } = answerIn(error);
  if (status !== 400 || !text.includes('AUTOMOD')) return null;
  return text.includes('TITLE') ? 'title' : 'prompt';
}

/** Returns why Twitch refuses to create a custom reward, if its words or the channel are the reason. */
export function creationRefusal(error: unknown): 'titleTaken' | 'tooMany' | 'wordsRefused' | null {
  const { status, text } = answerIn(error);
  if (status !== 400) return null;
  if (refusedWords(error)) return 'wordsRefused';
  if (text.includes('DUPLICATE_REWARD')) return 'titleTaken';
  return text.includes('TOO_MANY_REWARDS') ? 'tooMany' : null;
}
