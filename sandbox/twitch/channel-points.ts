import { randomUUID } from 'node:crypto';
import type { CustomReward, Redemption, RedemptionStatus, WorldEvent } from './world-state.ts';

export type RedeemOutcome =
  | { ok: true; redemption: Redemption }
  | {
      ok: false;
      code:
        | 'unknownReward'
        | 'rewardDisabled'
        | 'rewardPaused'
        | 'notEnoughPoints'
        | 'outOfStock'
        | 'userLimitReached'
        | 'onCooldown';
    };

export type RewardFields = Omit<CustomReward, 'id' | 'clientId' | 'broadcasterId'>;
type NewReward = Partial<RewardFields> & Pick<RewardFields, 'title' | 'cost'>;

/** Defaults of a new custom reward. */
const defaultReward: Omit<RewardFields, 'title' | 'cost'> = {
  prompt: '',
  backgroundColor: '#00E5CB',
  isEnabled: true,
  isPaused: false,
  isUserInputRequired: false,
  maxPerStream: null,
  maxPerUserPerStream: null,
  globalCooldownSeconds: null,
  skipsRequestQueue: false,
};

/** Everybody's balance on every channel until it is set. */
const startingBalance = 50_000;

/** Custom rewards, their redemptions, and balances, which Twitch's API does not expose. */
export class ChannelPoints {
  readonly #rewards = new Map<string, CustomReward>();
  readonly #redemptions = new Map<string, Redemption>();
  /** Balances by channel and viewer; missing entries have the starting balance. */
  readonly #balances: Map<string, number>;
  readonly #announce: (event?: WorldEvent) => void;

  constructor(
    saved: {
      rewards: readonly CustomReward[];
      redemptions: readonly Redemption[];
      balances: Readonly<Record<string, number>>;
    },
    announce: (event?: WorldEvent) => void,
  ) {
    for (const reward of saved.rewards) this.#rewards.set(reward.id, { ...reward });
    for (const redemption of saved.redemptions) this.#redemptions.set(redemption.id, { ...redemption });
    this.#balances = new Map(Object.entries(saved.balances));
    this.#announce = announce;
  }

  toJSON(): { rewards: CustomReward[]; redemptions: Redemption[]; balances: Record<string, number> } {
    return {
      rewards: [...this.#rewards.values()],
      redemptions: [...this.#redemptions.values()],
      balances: Object.fromEntries(this.#balances),
    };
  }

  balanceOf(broadcasterId: string, userId: string): number {
    return this.#balances.get(`${broadcasterId} ${userId}`) ?? startingBalance;
  }

  setBalance(broadcasterId: string, userId: string, points: number): void {
    this.#balances.set(`${broadcasterId} ${userId}`, points);
    this.#announce();
  }

  rewardsOf(broadcasterId: string): CustomReward[] {
    return [...this.#rewards.values()].filter((reward) => reward.broadcasterId === broadcasterId);
  }

  redemptionsOf(broadcasterId: string): Redemption[] {
    return [...this.#redemptions.values()].filter((one) => one.broadcasterId === broadcasterId);
  }

  createReward(clientId: string, broadcasterId: string, fields: NewReward): CustomReward {
    const reward = { id: randomUUID(), clientId, broadcasterId, ...defaultReward, ...fields };
    this.#rewards.set(reward.id, reward);
    this.#announce();
    return reward;
  }

  updateReward(rewardId: string, fields: Partial<RewardFields>): CustomReward | null {
    const reward = this.#rewards.get(rewardId);
    if (!reward) return null;
    Object.assign(reward, fields);
    this.#announce();
    return reward;
  }

  /** Deletes a reward and marks its open redemptions as fulfilled, as Twitch does. */
  deleteReward(rewardId: string): boolean {
    if (!this.#rewards.delete(rewardId)) return false;
    for (const redemption of this.#redemptions.values())
      if (redemption.reward.id === rewardId && redemption.status === 'UNFULFILLED')
        this.setStatus(redemption.id, 'FULFILLED');
    this.#announce();
    return true;
  }

  /** Redeems a reward for a viewer, within the reward's limits. */
  redeem(act: {
    broadcasterId: string;
    userId: string;
    rewardId: string;
    userInput: string;
    atMs: number;
    streamStartedAtMs: number;
  }): RedeemOutcome {
    const reward = this.#rewards.get(act.rewardId);
    if (!reward || reward.broadcasterId !== act.broadcasterId) return { ok: false, code: 'unknownReward' };
    if (!reward.isEnabled) return { ok: false, code: 'rewardDisabled' };
    if (reward.isPaused) return { ok: false, code: 'rewardPaused' };
    const limit = this.#limitReached(reward, act);
    if (limit) return { ok: false, code: limit };
    const balance = this.balanceOf(act.broadcasterId, act.userId);
    if (balance < reward.cost) return { ok: false, code: 'notEnoughPoints' };
    this.setBalance(act.broadcasterId, act.userId, balance - reward.cost);
    const redemption: Redemption = {
      id: randomUUID(),
      broadcasterId: act.broadcasterId,
      userId: act.userId,
      reward: { id: reward.id, title: reward.title, prompt: reward.prompt, cost: reward.cost },
      userInput: act.userInput,
      status: reward.skipsRequestQueue ? 'FULFILLED' : 'UNFULFILLED',
      redeemedAtMs: act.atMs,
    };
    this.#redemptions.set(redemption.id, redemption);
    this.#announce({ type: 'redeemed', redemption });
    return { ok: true, redemption };
  }

  /** The limit that forbids another redemption now; refunded ones do not count. */
  #limitReached(
    reward: CustomReward,
    act: { userId: string; atMs: number; streamStartedAtMs: number },
  ): 'outOfStock' | 'userLimitReached' | 'onCooldown' | null {
    const counted = this.redemptionsOf(reward.broadcasterId).filter(
      (one) => one.reward.id === reward.id && one.status !== 'CANCELED',
    );
    const thisStream = counted.filter((one) => one.redeemedAtMs >= act.streamStartedAtMs);
    if (reward.maxPerStream !== null && thisStream.length >= reward.maxPerStream) return 'outOfStock';
    const own = thisStream.filter((one) => one.userId === act.userId);
    if (reward.maxPerUserPerStream !== null && own.length >= reward.maxPerUserPerStream)
      return 'userLimitReached';
    const freeAgainAtMs = (counted.at(-1)?.redeemedAtMs ?? 0) + (reward.globalCooldownSeconds ?? 0) * 1000;
    return reward.globalCooldownSeconds !== null && act.atMs < freeAgainAtMs ? 'onCooldown' : null;
  }

  /** Ends an open redemption; cancelling one refunds its points. Null unless it exists and is unfulfilled. */
  setStatus(redemptionId: string, status: Exclude<RedemptionStatus, 'UNFULFILLED'>): Redemption | null {
    const redemption = this.#redemptions.get(redemptionId);
    if (redemption?.status !== 'UNFULFILLED') return null;
    redemption.status = status;
    const { broadcasterId, userId, reward } = redemption;
    if (status === 'CANCELED')
      this.setBalance(broadcasterId, userId, this.balanceOf(broadcasterId, userId) + reward.cost);
    this.#announce({ type: 'redemptionUpdated', redemption });
    return redemption;
  }
}
