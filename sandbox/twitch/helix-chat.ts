import { type ChatGate, type LineRefusal, shownText } from './chat-gate.ts';
import { chatDrops } from './faults.ts';
import {
  type HelixCall,
  type HelixRoutes,
  hasScope,
  isBroadcasterOrModerator,
  requireOwnId,
  type UserToken,
} from './helix-route.ts';
import { Refusal } from './http-answers.ts';
import type { TwitchWorld } from './world.ts';

const pinScope = 'moderator:manage:chat_messages';

/** In characters. */
export const maxMessageLength = 500;

const announcementColors = ['blue', 'green', 'orange', 'purple', 'primary'] as const;
const announcementScope = 'moderator:manage:announcements';

/** Send Chat Message, Send Chat Announcement, the pins, and Get Shared Chat Session (dev.twitch.tv/docs/api/reference). */
export function registerHelixChat(routes: HelixRoutes, gate: ChatGate): void {
  routes.any('POST', '/mock/chat/messages', (call) => sendChatMessage(call, gate));
  routes.any('POST', '/mock/chat/announcements', (call) => sendChatAnnouncement(call, gate));
  routes.user('GET', '/mock/chat/pins', ['moderator:read:chat_messages', pinScope], getPinned);
  routes.user('PUT', '/mock/chat/pins', [pinScope], pin);
  routes.any('GET', '/mock/shared_chat/session', getSharedChatSession);
}

/** Sends as the token's user, or as an application for an account that granted it `user:bot`. */
function sendChatMessage(call: HelixCall, gate: ChatGate) {
  const { world, token, body, query } = call;
  const broadcasterId = textOf(body.broadcaster_id ?? query.get('broadcaster_id'));
  const senderId = textOf(body.sender_id ?? query.get('sender_id'));
  const message = shownText(textOf(body.message));
  if (!message || message.length > maxMessageLength)
    throw new Refusal(400, `The message must have 1 to ${maxMessageLength} characters`);
  if (token.userId !== null) requireOwnSender(call as HelixCall<UserToken>, senderId);
  else requireBotGrants(world, token.clientId, broadcasterId, senderId);
  const isSourceOnly = requireSource(call);
  if (!world.userById(broadcasterId) || world.suspensions.has(broadcasterId))
    throw new Refusal(404, 'The broadcaster was not found');
  const ordered = world.faults.takeLineDrop();
  const dropped = ordered
    ? { code: ordered, message: chatDrops[ordered] }
    : dropOf(gate.refusalToSpeak(broadcasterId, senderId, message));
  // As recorded (twitchdev/issues 1019): status 200, no id, and both keys.
  if (dropped) return { data: [{ message_id: '', is_sent: false, drop_reason: dropped }] };
  const line = world.say(broadcasterId, senderId, message, { isSourceOnly });
  return { data: [{ message_id: line.id, is_sent: true, drop_reason: null }] };
}

/**
 * The reference has 403 for a sender without permission to send to this chat. Codes of drop reasons are
 * documented nowhere and change (twitchdev/issues 962): `msg_duplicate` and `channel_settings` are among
 * those that Twitch4J names (ChatDropReason). It is believed that IRC's other notices keep their ids.
 */
function dropOf(refusal: LineRefusal | null): { code: string; message: string } | null {
  if (!refusal) return null;
  if (refusal.id === 'msg_timedout') return { code: 'user_timed_out', message: chatDrops.user_timed_out };
  if (refusal.id === 'msg_banned')
    throw new Refusal(
      403,
      "The sender is not permitted to send chat messages to the broadcaster's chat room",
    );
  const isSetting = refusal.id === 'msg_followersonly' || refusal.id === 'msg_subsonly';
  return { code: isSetting ? 'channel_settings' : refusal.id, message: refusal.text };
}

/**
 * Announces as the token's user, or as an application for a moderator that granted it `user:bot`. A longer message
 * is truncated, and there is no color by default but `primary` (the reference, as of 2026-11). The status for two
 * announcements within two seconds is believed.
 */
function sendChatAnnouncement(call: HelixCall, gate: ChatGate) {
  const { world, token, body, query, reply } = call;
  const [broadcasterId, moderatorId] = [query.require('broadcaster_id'), query.require('moderator_id')];
  const message = shownText(textOf(body.message)).slice(0, maxMessageLength);
  if (!message) throw new Refusal(400, 'The message must not be empty');
  const color = announcementColors.find((each) => each === (body.color ?? 'primary'));
  if (!color) throw new Refusal(400, 'The color is not known');
  if (token.userId !== null) {
    if (!hasScope(token, [announcementScope])) throw new Refusal(401, `Missing scope: ${announcementScope}`);
    requireOwnId(call as HelixCall<UserToken>, 'moderator_id');
  } else requireAnnouncerGrants(world, token.clientId, broadcasterId, moderatorId);
  const isSourceOnly = requireSource(call);
  // As added to the reference on request (twitchdev/issues 661).
  if (!isBroadcasterOrModerator(world, broadcasterId, moderatorId))
    throw new Refusal(403, 'The sender has no permission to send an announcement to this chat');
  if (!gate.takeAnnouncement(broadcasterId)) throw new Refusal(429, 'One announcement every 2 seconds');
  world.say(broadcasterId, moderatorId, message, { isSourceOnly, notice: 'announcement', color });
  return reply.code(204).send();
}

/** With an application's token: both scopes of the announcing account, and always `channel:bot` of the broadcaster. */
function requireAnnouncerGrants(
  world: TwitchWorld,
  clientId: string,
  broadcasterId: string,
  moderatorId: string,
): void {
  const announcer = world.tokens.grantedScopes(moderatorId, clientId) ?? [];
  if (!announcer.includes(announcementScope) || !announcer.includes('user:bot'))
    throw new Refusal(401, `The moderator has not granted ${announcementScope} and user:bot`);
  const channel = world.tokens.grantedScopes(broadcasterId, clientId) ?? [];
  if (!channel.includes('channel:bot')) throw new Refusal(401, 'The broadcaster has not granted channel:bot');
}

/**
 * Returns whether a line is for its source channel only. The reference allows the parameter with an
 * application's token alone, where it is true by default, and answers 400 with a user's.
 */
function requireSource({ token, body }: HelixCall): boolean {
  const given = body.for_source_only;
  if (token.userId === null) return given !== false;
  if (given !== undefined) throw new Refusal(400, 'for_source_only requires an app access token');
  return false;
}

/** No scope is needed. A channel that shares its chat with nobody gets an empty list. */
function getSharedChatSession({ world, query }: HelixCall) {
  const session = world.sharedChats.of(query.require('broadcaster_id'));
  if (!session) return { data: [] };
  const { id, hostId, broadcasterIds, startedAtMs } = session;
  const at = new Date(startedAtMs).toISOString();
  const participants = broadcasterIds.map((broadcaster_id) => ({ broadcaster_id }));
  const given = { session_id: id, host_broadcaster_id: hostId, participants };
  return { data: [{ ...given, created_at: at, updated_at: at }] };
}

/** A chat has one line that its broadcaster or a moderator pinned; the answer is empty without one. */
function getPinned(call: HelixCall<UserToken>) {
  const pinned = call.world.pins.get(requireModerated(call));
  return { data: pinned ? [{ message_id: pinned.messageId, pinned_by_user_id: pinned.userId }] : [] };
}

/**
 * Pins a line of the chat, by its id, for 30 to 1800 seconds or the rest of the stream. The reference was read through
 * twitch-rs/twitch_api pull 525 and Firebot issue 3581; that a line of another chat is refused is believed.
 */
function pin(call: HelixCall<UserToken>) {
  const { world, query, token, reply } = call;
  const broadcasterId = requireModerated(call);
  const messageId = query.require('message_id');
  const seconds = Number(query.get('duration_seconds') ?? 30);
  if (!(seconds >= 30 && seconds <= 1800)) throw new Refusal(400, 'duration_seconds must be 30 to 1800');
  if (!world.chatLog(broadcasterId).some(({ id }) => id === messageId))
    throw new Refusal(404, 'The message was not found');
  world.pins.set(broadcasterId, { messageId, userId: token.userId });
  return reply.code(204).send();
}

/** Returns the channel whose chat the token's user moderates. */
function requireModerated(call: HelixCall<UserToken>): string {
  const broadcasterId = call.query.require('broadcaster_id');
  const userId = requireOwnId(call, 'moderator_id');
  if (!isBroadcasterOrModerator(call.world, broadcasterId, userId))
    throw new Refusal(403, 'The user is not one of the broadcaster’s moderators');
  return broadcasterId;
}

function requireOwnSender(call: HelixCall<UserToken>, senderId: string): void {
  if (!hasScope(call.token, ['user:write:chat'])) throw new Refusal(401, 'Missing scope: user:write:chat');
  if (call.query.get('sender_id') !== undefined) requireOwnId(call, 'sender_id');
  else if (senderId !== call.token.userId)
    throw new Refusal(401, "The ID in sender_id must match the user ID found in the request's OAuth token.");
}

/** With an application's token: `user:bot` of the sender, and `channel:bot` of the broadcaster or a moderator's role. */
function requireBotGrants(
  world: TwitchWorld,
  clientId: string,
  broadcasterId: string,
  senderId: string,
): void {
  const sender = world.tokens.grantedScopes(senderId, clientId) ?? [];
  if (!sender.includes('user:bot') || !sender.includes('user:write:chat'))
    throw new Refusal(403, 'The sender has not granted user:bot and user:write:chat');
  const channel = world.tokens.grantedScopes(broadcasterId, clientId) ?? [];
  if (!channel.includes('channel:bot') && !world.isModerator(broadcasterId, senderId))
    throw new Refusal(403, 'The sender is neither a moderator nor allowed by channel:bot');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
