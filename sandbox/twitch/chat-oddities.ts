import type { TwitchWorld } from './world.ts';

/** Forms of lines that are no plain text: each was met on Twitch. */
export const oddLines = ['reply', 'action', 'invisible', 'shared', 'empty'] as const;

/** Says `!progress` in one of these ways; `empty` says nothing. */
export function sayOddly(
  world: TwitchWorld,
  broadcasterId: string,
  userId: string,
  how: (typeof oddLines)[number],
): void {
  const say = world.say.bind(world, broadcasterId, userId);
  if (how === 'empty') say('');
  if (how === 'action') say('\u0001ACTION !progress\u0001');
  if (how === 'invisible') say('\u{e0000}!progress \u034f');
  if (how === 'shared') say('!progress', { sourceId: userId });
  if (how !== 'reply') return;
  const parent = world.chatLog(broadcasterId).at(-1) ?? say('hello');
  const { login } = world.userById(parent.userId) ?? { login: '' };
  say(`@${login} !progress`, { replyTo: parent });
}
