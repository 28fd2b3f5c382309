import { facePath } from './faces.ts';
import {
  type HelixCall,
  type HelixRoutes,
  hasScope,
  isBroadcasterOrModerator,
  requireOwnId,
  type UserToken,
} from './helix-route.ts';
import { isoSeconds, page, Refusal } from './http-answers.ts';
import type { TwitchWorld } from './world.ts';
import type { ChannelSubscription, IssuedToken, Tier, TwitchUser } from './world-state.ts';

const subscriberPoints: Record<Tier, number> = { '1000': 1, '2000': 2, '3000': 6 };
const listSizes = { default: 20, max: 100 };

/** Users, chatters, moderators, followers and subscribers. */
export function registerHelixPeople(routes: HelixRoutes): void {
  routes.any('GET', '/mock/users', getUsers);
  routes.user('GET', '/mock/chat/chatters', ['moderator:read:chatters'], getChatters);
  routes.user('GET', '/mock/moderation/moderators', ['moderation:read'], getModerators);
  routes.user('GET', '/mock/channels/followers', [], getFollowers);
  routes.user('GET', '/mock/subscriptions', ['channel:read:subscriptions'], getSubscriptions);
  routes.user('GET', '/mock/subscriptions/user', ['user:read:subscriptions'], getOwnSubscription);
  routes.app('GET', '/mock/authorization/users', getAuthorizations);
}

function getUsers({ world, query, token, reply }: HelixCall) {
  const ids = query.all('id');
  const logins = query.all('login');
  if (ids.length + logins.length > 100) throw new Refusal(400, 'At most 100 ids and logins may be given');
  if (ids.length + logins.length === 0) {
    if (token.userId === null) throw new Refusal(400, 'The id or login query parameter is required');
    ids.push(token.userId);
  }
  if (ids.some((id) => !/^\d+$/.test(id))) throw new Refusal(400, 'Invalid user id');
  const found = [...ids.map((id) => world.userById(id)), ...logins.map((login) => world.userByLogin(login))];
  const users = new Set(found.filter((user) => user !== undefined));
  const shown = [...users].filter((user) => !world.suspensions.has(user.id));
  const site = `http://${reply.request.host}`;
  return { data: shown.map((user) => userData(user, token, site)) };
}

function userData(user: TwitchUser, token: IssuedToken, site: string) {
  const ownEmail = user.id === token.userId && token.scopes.includes('user:read:email');
  return {
    id: user.id,
    login: user.login,
    display_name: user.displayName,
    type: '',
    broadcaster_type: user.broadcasterType,
    description: '',
    profile_image_url: site + facePath(user),
    offline_image_url: '',
    view_count: 0,
    ...(ownEmail && { email: user.email }),
    created_at: isoSeconds(user.createdAtMs),
  };
}

function getChatters(call: HelixCall<UserToken>) {
  const { world, query } = call;
  const broadcasterId = query.require('broadcaster_id');
  const moderatorId = requireOwnId(call, 'moderator_id');
  if (!isBroadcasterOrModerator(world, broadcasterId, moderatorId))
    throw new Refusal(
      403,
      "The user in the moderator_id query parameter is not one of the broadcaster's moderators.",
    );
  const chatters = world.chattersOf(broadcasterId);
  const { data, pagination } = page(chatters, query, { default: 100, max: 1000 });
  return { data: data.map(userReference), pagination, total: chatters.length };
}

function getModerators(call: HelixCall<UserToken>) {
  const broadcasterId = requireOwnId(call, 'broadcaster_id');
  const asked = call.query.all('user_id');
  const moderators = call.world
    .users()
    .filter((user) => call.world.isModerator(broadcasterId, user.id))
    .filter((user) => asked.length === 0 || asked.includes(user.id));
  const { data, pagination } = page(moderators, call.query, listSizes);
  return { data: data.map(userReference), pagination };
}

/** Without the scope or moderator status, Twitch returns the total only. */
function getFollowers({ world, query, token }: HelixCall<UserToken>) {
  const broadcasterId = query.require('broadcaster_id');
  const all = world.followersOf(broadcasterId);
  const maySee =
    hasScope(token, ['moderator:read:followers']) &&
    isBroadcasterOrModerator(world, broadcasterId, token.userId);
  if (!maySee) return { total: all.length, data: [], pagination: {} };
  const userId = query.get('user_id');
  const wanted = userId === undefined ? all : all.filter((follow) => follow.userId === userId);
  const { data, pagination } = page(wanted, query, listSizes);
  const rows = data.flatMap((follow) => {
    const user = world.userById(follow.userId);
    return user ? [{ ...userReference(user), followed_at: isoSeconds(follow.followedAtMs) }] : [];
  });
  return { total: all.length, data: rows, pagination };
}

/** A channel that is neither affiliate nor partner has an empty list, not a refusal (Twitch in twitchdev/issues 410). */
function getSubscriptions(call: HelixCall<UserToken>) {
  const { world, query } = call;
  const broadcasterId = requireOwnId(call, 'broadcaster_id');
  const asked = query.all('user_id');
  if (asked.length > 100) throw new Refusal(400, 'At most 100 user ids may be given');
  const isPlain = world.userById(broadcasterId)?.broadcasterType === '';
  const all = isPlain ? [] : world.subscribersOf(broadcasterId);
  const wanted = asked.length === 0 ? all : all.filter((one) => asked.includes(one.userId));
  const { data, pagination } = page(wanted, query, listSizes);
  return {
    data: data.map((one) => subscriptionData(world, one)),
    pagination,
    total: all.length,
    points: all.reduce((sum, one) => sum + subscriberPoints[one.tier], 0),
  };
}

function subscriptionData(world: TwitchWorld, subscription: ChannelSubscription) {
  const user = world.userById(subscription.userId);
  return {
    ...ownSubscriptionData(world, subscription),
    gifter_id: '',
    gifter_login: '',
    gifter_name: '',
    plan_name: `Channel Subscription (Tier ${subscription.tier[0]})`,
    user_id: subscription.userId,
    user_login: user?.login ?? '',
    user_name: user?.displayName ?? '',
  };
}

function ownSubscriptionData(world: TwitchWorld, subscription: ChannelSubscription) {
  const broadcaster = world.userById(subscription.broadcasterId);
  return {
    broadcaster_id: subscription.broadcasterId,
    broadcaster_login: broadcaster?.login ?? '',
    broadcaster_name: broadcaster?.displayName ?? '',
    is_gift: subscription.isGift,
    tier: subscription.tier,
  };
}

function getOwnSubscription(call: HelixCall<UserToken>) {
  const userId = requireOwnId(call, 'user_id');
  const broadcasterId = call.query.require('broadcaster_id');
  const subscription = call.world.subscribersOf(broadcasterId).find((one) => one.userId === userId);
  if (!subscription) {
    const names = [userId, broadcasterId].map((id) => call.world.userById(id)?.login ?? id);
    throw new Refusal(404, `${names[0]} has no subscription to ${names[1]}`);
  }
  return { data: [ownSubscriptionData(call.world, subscription)] };
}

/** The scopes that these users have granted the application. */
function getAuthorizations({ world, query, token }: HelixCall) {
  const userIds = query.all('user_id');
  if (userIds.length === 0) throw new Refusal(400, 'Missing required parameter "user_id"');
  const data = userIds.flatMap((userId) => {
    const user = world.userById(userId);
    const scopes = world.tokens.grantedScopes(userId, token.clientId);
    return user && scopes ? [{ ...userReference(user), scopes }] : [];
  });
  return { data };
}

function userReference(user: TwitchUser) {
  return { user_id: user.id, user_login: user.login, user_name: user.displayName };
}
