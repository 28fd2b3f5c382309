import type { TwitchWorld } from './world.ts';
import type { ChatLine, TwitchUser } from './world-state.ts';

const nameColors = ['#FF0000', '#0000FF', '#008000', '#B22222', '#FF7F50', '#9ACD32', '#2E8B57', '#8A2BE2'];

export interface IrcMessage {
  command: string;
  parameters: string[];
}

/** Parses one line of IRC, without tags and prefix, which a server does not need. */
export function parseIrcLine(line: string): IrcMessage | null {
  const match = /^(?:@\S+ +)?(?::\S+ +)?([A-Za-z]+|\d{3})(?: +(.*))?$/s.exec(line.trimEnd());
  if (!match) return null;
  const rest = match[2] ?? '';
  const trailingAt = rest.startsWith(':') ? 0 : rest.indexOf(' :');
  const hasTrailing = trailingAt >= 0;
  const head = hasTrailing ? rest.slice(0, trailingAt) : rest;
  const parameters = head.split(' ').filter(Boolean);
  if (hasTrailing) parameters.push(rest.slice(rest.indexOf(':', trailingAt) + 1));
  return { command: (match[1] ?? '').toUpperCase(), parameters };
}

export type Tags = Record<string, string | number>;

/** `@key=value;… ` in front of a line, with IRCv3 escapes. */
export function formatTags(tags: Tags): string {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${escapeTag(String(value))}`);
  return `@${pairs.join(';')} `;
}

function escapeTag(value: string): string {
  const escapes: Record<string, string> = { ';': '\\:', ' ': '\\s', '\\': '\\\\', '\r': '\\r', '\n': '\\n' };
  return value.replace(/[; \\\r\n]/g, (sign) => escapes[sign] ?? '');
}

export function prefixOf(login: string): string {
  return `:${login}!${login}@${login}.tmi.twitch.tv`;
}

/** The tags about a user that all messages share. */
function identityTags(user: TwitchUser): Tags {
  return {
    color: nameColors[Number(user.id) % nameColors.length] ?? '',
    'display-name': user.displayName,
    turbo: 0,
  };
}

function roleTags(world: TwitchWorld, broadcasterId: string, user: TwitchUser): Tags {
  const subscription = world.subscribersOf(broadcasterId).find((one) => one.userId === user.id);
  const isBroadcaster = broadcasterId === user.id;
  const role = world.moderators.roleOf(broadcasterId, user.id);
  const isModerator = role === 'moderator';
  const badges = [
    isBroadcaster && 'broadcaster/1',
    role && `${role}/1`,
    subscription && `subscriber/${subscription.tier === '1000' ? '0' : subscription.tier}`,
  ].filter(Boolean);
  return {
    'badge-info': subscription ? 'subscriber/1' : '',
    badges: badges.join(','),
    mod: isModerator ? 1 : 0,
    subscriber: subscription ? 1 : 0,
    'user-type': isModerator ? 'mod' : '',
  };
}

export function globalUserStateTags(user: TwitchUser): Tags {
  return {
    'badge-info': '',
    badges: '',
    ...identityTags(user),
    'emote-sets': '0',
    'user-id': user.id,
    'user-type': '',
  };
}

export function userStateTags(world: TwitchWorld, broadcasterId: string, user: TwitchUser): Tags {
  return { ...roleTags(world, broadcasterId, user), ...identityTags(user), 'emote-sets': '0' };
}

export function roomStateTags(broadcasterId: string): Tags {
  return {
    'emote-only': 0,
    'followers-only': -1,
    r9k: 0,
    'room-id': broadcasterId,
    slow: 0,
    'subs-only': 0,
  };
}

/** `sentAtMs`: Twitch's system time. */
export function messageTags(world: TwitchWorld, user: TwitchUser, line: ChatLine, sentAtMs: number): Tags {
  return {
    ...roleTags(world, line.broadcasterId, user),
    ...identityTags(user),
    emotes: '',
    'first-msg': 0,
    flags: '',
    id: line.id,
    'returning-chatter': 0,
    'room-id': line.broadcasterId,
    'tmi-sent-ts': sentAtMs,
    'user-id': user.id,
    ...(line.replyTo && {
      'reply-parent-msg-id': line.replyTo.id,
      'reply-parent-user-id': line.replyTo.userId,
      'reply-parent-msg-body': line.replyTo.text,
    }),
    ...(line.sourceId && { 'source-room-id': line.sourceId, 'source-id': line.sourceLineId ?? line.id }),
  };
}

/**
 * The tags that make a line a USERNOTICE (dev.twitch.tv/docs/chat/irc, "USERNOTICE tags"). One from another room
 * of a shared chat names its kind apart.
 */
export function noticeTags(
  user: TwitchUser,
  { notice = 'resub', sourceId, broadcasterId, color = 'primary' }: ChatLine,
): Tags {
  const isElsewhere = sourceId !== undefined && sourceId !== broadcasterId;
  const kind = notice === 'watch_streak' ? 'viewermilestone' : notice;
  return {
    login: user.login,
    'msg-id': isElsewhere ? 'sharedchatnotice' : kind,
    ...(sourceId && { 'source-msg-id': kind }),
    // A shared watch streak, as documented since June 2026.
    ...(kind === 'viewermilestone' && { 'msg-param-category': 'watch-streak', 'msg-param-value': '5' }),
    ...(kind === 'announcement' && { 'msg-param-color': color.toUpperCase() }),
    'system-msg': '',
  };
}
