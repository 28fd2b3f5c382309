import type { RewardFields } from './channel-points.ts';
import { type HelixCall, type HelixRoutes, requireOwnId, type UserToken } from './helix-route.ts';
import { isoSeconds, page, Refusal } from './http-answers.ts';
import type { TwitchWorld } from './world.ts';
import type { CustomReward, Redemption } from './world-state.ts';

const readScopes = ['channel:read:redemptions', 'channel:manage:redemptions'];
const manageScopes = ['channel:manage:redemptions'];
const maxRewardsPerChannel = 50;
const rewardsPath = '/mock/channel_points/custom_rewards';
const redemptionsPath = `${rewardsPath}/redemptions`;

/** Custom rewards and redemptions. A reward can be managed only by the application that created it. */
export function registerHelixRewards(routes: HelixRoutes): void {
  routes.user('GET', rewardsPath, readScopes, getRewards);
  routes.user('POST', rewardsPath, manageScopes, createReward);
  routes.user('PATCH', rewardsPath, manageScopes, updateReward);
  routes.user('DELETE', rewardsPath, manageScopes, deleteReward);
  routes.user('GET', redemptionsPath, readScopes, getRedemptions);
  routes.user('PATCH', redemptionsPath, manageScopes, updateRedemptions);
}

function getRewards(call: HelixCall<UserToken>) {
  const { world, query, token } = call;
  const broadcasterId = requireChannelWithPoints(call);
  const ids = query.all('id');
  const onlyManageable = query.get('only_manageable_rewards') === 'true';
  const rewards = world.channelPoints
    .rewardsOf(broadcasterId)
    .filter((reward) => ids.length === 0 || ids.includes(reward.id))
    .filter((reward) => !onlyManageable || reward.clientId === token.clientId);
  if (ids.length > 0 && rewards.length === 0) throw new Refusal(404, 'The custom rewards were not found');
  return { data: rewards.map((reward) => rewardData(world, reward)) };
}

function createReward(call: HelixCall<UserToken>) {
  const { world, token, body } = call;
  const broadcasterId = requireChannelWithPoints(call);
  const others = world.channelPoints.rewardsOf(broadcasterId);
  if (others.length >= maxRewardsPerChannel) throw new Refusal(400, 'CREATE_CUSTOM_REWARD_TOO_MANY_REWARDS');
  requireSpeakable(call, 'CREATE');
  const given = rewardFields(body, others);
  if (given.title === undefined || given.cost === undefined)
    throw new Refusal(400, 'The title and cost fields are required');
  const reward = world.channelPoints.createReward(token.clientId, broadcasterId, {
    ...given,
    title: given.title,
    cost: given.cost,
  });
  return { data: [rewardData(world, reward)] };
}

function updateReward(call: HelixCall<UserToken>) {
  const reward = requireOwnReward(call, call.query.require('id'));
  const others = call.world.channelPoints.rewardsOf(reward.broadcasterId).filter((one) => one !== reward);
  requireSpeakable(call, 'UPDATE');
  call.world.channelPoints.updateReward(reward.id, rewardFields(call.body, others));
  return { data: [rewardData(call.world, reward)] };
}

/** AutoMod's refusals as recorded in public (seluvia/crystal-relay-public issue 44). */
function requireSpeakable({ world, body }: HelixCall<UserToken>, act: 'CREATE' | 'UPDATE'): void {
  for (const field of ['title', 'prompt'] as const)
    if (world.faults.isRefused(field, String(body[field] ?? '')))
      throw new Refusal(400, `${act}_CUSTOM_REWARD_${field.toUpperCase()}_AUTOMOD_FAILED`);
}

function deleteReward(call: HelixCall<UserToken>) {
  const reward = requireOwnReward(call, call.query.require('id'));
  call.world.channelPoints.deleteReward(reward.id);
  return call.reply.code(204).send();
}

function getRedemptions(call: HelixCall<UserToken>) {
  const { world, query } = call;
  const reward = requireOwnReward(call, query.require('reward_id'));
  const ids = query.all('id');
  const status = query.get('status');
  if (ids.length === 0 && !status) throw new Refusal(400, 'The status or id parameter is required');
  const redemptions = world.channelPoints
    .redemptionsOf(reward.broadcasterId)
    .filter((one) => one.reward.id === reward.id)
    .filter((one) => (ids.length > 0 ? ids.includes(one.id) : one.status === status));
  if (query.get('sort') === 'NEWEST') redemptions.reverse();
  const { data, pagination } = page(redemptions, query, { default: 20, max: 50 });
  return { data: data.map((one) => redemptionData(world, one)), pagination };
}

/** All given redemptions must be open; otherwise Twitch answers 404 and changes none. */
function updateRedemptions(call: HelixCall<UserToken>) {
  const { world, query, body } = call;
  const reward = requireOwnReward(call, query.require('reward_id'));
  const status = body.status;
  if (status !== 'FULFILLED' && status !== 'CANCELED')
    throw new Refusal(400, 'The status must be FULFILLED or CANCELED');
  const ids = query.all('id');
  if (ids.length === 0 || ids.length > 50) throw new Refusal(400, 'Give 1 to 50 redemption ids');
  const open = world.channelPoints
    .redemptionsOf(reward.broadcasterId)
    .filter((one) => one.reward.id === reward.id && one.status === 'UNFULFILLED' && ids.includes(one.id));
  if (open.length !== new Set(ids).size)
    throw new Refusal(404, 'The redemptions were not found or are not UNFULFILLED');
  for (const one of open) world.channelPoints.setStatus(one.id, status);
  return { data: open.map((one) => redemptionData(world, one)) };
}

function requireChannelWithPoints(call: HelixCall<UserToken>): string {
  const broadcasterId = requireOwnId(call, 'broadcaster_id');
  if (call.world.userById(broadcasterId)?.broadcasterType === '')
    throw new Refusal(403, 'The broadcaster must have partner or affiliate status.');
  return broadcasterId;
}

function requireOwnReward(call: HelixCall<UserToken>, rewardId: string): CustomReward {
  const broadcasterId = requireChannelWithPoints(call);
  const reward = call.world.channelPoints.rewardsOf(broadcasterId).find((one) => one.id === rewardId);
  if (!reward) throw new Refusal(404, 'The custom reward was not found');
  if (reward.clientId !== call.token.clientId)
    throw new Refusal(
      403,
      'The ID in the Client-Id header must match the client ID used to create the reward.',
    );
  return reward;
}

function rewardFields(body: Record<string, unknown>, others: readonly CustomReward[]): Partial<RewardFields> {
  const fields: Partial<RewardFields> = {};
  if (body.title !== undefined) fields.title = titleOf(body.title, others);
  if (body.cost !== undefined) fields.cost = wholeNumber('cost', body.cost);
  if (body.prompt !== undefined) {
    if (typeof body.prompt !== 'string' || body.prompt.length > 200)
      throw new Refusal(400, 'The prompt may have 200 characters at most');
    fields.prompt = body.prompt;
  }
  if (typeof body.background_color === 'string') fields.backgroundColor = body.background_color;
  if (typeof body.is_enabled === 'boolean') fields.isEnabled = body.is_enabled;
  if (typeof body.is_paused === 'boolean') fields.isPaused = body.is_paused;
  if (typeof body.is_user_input_required === 'boolean')
    fields.isUserInputRequired = body.is_user_input_required;
  if (typeof body.should_redemptions_skip_request_queue === 'boolean')
    fields.skipsRequestQueue = body.should_redemptions_skip_request_queue;
  if (body.is_max_per_stream_enabled !== undefined)
    fields.maxPerStream = body.is_max_per_stream_enabled
      ? wholeNumber('max_per_stream', body.max_per_stream)
      : null;
  if (body.is_max_per_user_per_stream_enabled !== undefined)
    fields.maxPerUserPerStream = body.is_max_per_user_per_stream_enabled
      ? wholeNumber('max_per_user_per_stream', body.max_per_user_per_stream)
      : null;
  if (body.is_global_cooldown_enabled !== undefined)
    fields.globalCooldownSeconds = body.is_global_cooldown_enabled
      ? wholeNumber('global_cooldown_seconds', body.global_cooldown_seconds)
      : null;
  return fields;
}

function titleOf(title: unknown, others: readonly CustomReward[]): string {
  if (typeof title !== 'string' || title.length < 1 || title.length > 45)
    throw new Refusal(400, 'The title must have 1 to 45 characters');
  if (others.some((other) => other.title === title))
    throw new Refusal(400, 'CREATE_CUSTOM_REWARD_DUPLICATE_REWARD');
  return title;
}

function wholeNumber(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw new Refusal(400, `The value in ${name} must be a whole number of at least 1`);
  return value;
}

function broadcasterData(world: TwitchWorld, broadcasterId: string) {
  const user = world.userById(broadcasterId);
  return {
    broadcaster_id: broadcasterId,
    broadcaster_login: user?.login ?? '',
    broadcaster_name: user?.displayName ?? '',
  };
}

function rewardData(world: TwitchWorld, reward: CustomReward) {
  return {
    ...broadcasterData(world, reward.broadcasterId),
    id: reward.id,
    title: reward.title,
    prompt: reward.prompt,
    cost: reward.cost,
    image: null,
    default_image: { url_1x: '', url_2x: '', url_4x: '' },
    background_color: reward.backgroundColor,
    is_enabled: reward.isEnabled,
    is_user_input_required: reward.isUserInputRequired,
    max_per_stream_setting: {
      is_enabled: reward.maxPerStream !== null,
      max_per_stream: reward.maxPerStream ?? 0,
    },
    max_per_user_per_stream_setting: {
      is_enabled: reward.maxPerUserPerStream !== null,
      max_per_user_per_stream: reward.maxPerUserPerStream ?? 0,
    },
    global_cooldown_setting: {
      is_enabled: reward.globalCooldownSeconds !== null,
      global_cooldown_seconds: reward.globalCooldownSeconds ?? 0,
    },
    is_paused: reward.isPaused,
    is_in_stock: true,
    should_redemptions_skip_request_queue: reward.skipsRequestQueue,
    redemptions_redeemed_current_stream: null,
    cooldown_expires_at: null,
  };
}

function redemptionData(world: TwitchWorld, redemption: Redemption) {
  const user = world.userById(redemption.userId);
  return {
    ...broadcasterData(world, redemption.broadcasterId),
    id: redemption.id,
    user_id: redemption.userId,
    user_login: user?.login ?? '',
    user_name: user?.displayName ?? '',
    user_input: redemption.userInput,
    status: redemption.status,
    redeemed_at: isoSeconds(redemption.redeemedAtMs),
    reward: redemption.reward,
  };
}
