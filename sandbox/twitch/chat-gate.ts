import type { ChatRefusal } from './faults.ts';
import type { TwitchWorld } from './world.ts';

const limits = {
  messages: { count: 20, perMs: 30_000 },
  moderatorMessages: { count: 100, perMs: 30_000 },
  /** One line a second and channel (dev.twitch.tv/docs/irc, "Rate limits"). */
  channelMessages: { count: 1, perMs: 1000 },
  /** An identical line sooner than this is dropped (Twitch's notice `msg_duplicate`). */
  sameMessageMs: 30_000,
  /** "One announcement may be sent every 2 seconds" (dev.twitch.tv/docs/api/reference/chat); for a channel, it is believed. */
  announcements: { count: 1, perMs: 2000 },
};

/** The reason why a chat takes no line from an account: the id of Twitch's notice, and its text. */
export interface LineRefusal {
  id: ChatRefusal | 'msg_duplicate' | 'msg_ratelimit';
  text: string;
}

/** Counts actions by name against limits. System time. */
export class Recent {
  readonly #recent = new Map<string, number[]>();

  /** Returns whether one more is within the limit; if so, it counts. */
  take(name: string, limit: { count: number; perMs: number }): boolean {
    const nowMs = Date.now();
    const recent = (this.#recent.get(name) ?? []).filter((atMs) => atMs > nowMs - limit.perMs);
    const isWithin = recent.length < limit.count;
    if (isWithin) recent.push(nowMs);
    this.#recent.set(name, recent);
    return isWithin;
  }
}

/**
 * Returns a line as Twitch shows it: since 2025 without U+E0000 and the rest of that block
 * (Chatterino/chatterino2 pull 6417).
 */
export const shownText = (text: string): string => text.replaceAll(/[\u{e0000}-\u{e007f}]/gu, '').trim();

/**
 * Decides whose lines chats take. Lines over IRC and by Send Chat Message count together (believed: Twitch
 * documents its limits for accounts, dev.twitch.tv/docs/chat, "Rate limits").
 */
export class ChatGate {
  readonly #world: TwitchWorld;
  readonly #recent = new Recent();
  readonly #said = new Map<string, { text: string; atMs: number }[]>();

  constructor(world: TwitchWorld) {
    this.#world = world;
  }

  /** The standing refusal of a chat, which does not apply to its owner and moderators. */
  standingRefusal(broadcasterId: string, userId: string, act: 'line' | 'join') {
    return this.#isTrusted(broadcasterId, userId) ? null : this.#world.faults.chatRefusal(broadcasterId, act);
  }

  /** Returns why a line is not taken; null counts it as said. */
  refusalToSpeak(broadcasterId: string, userId: string, text: string): LineRefusal | null {
    const standing = this.standingRefusal(broadcasterId, userId, 'line');
    if (standing) return standing;
    const isTrusted = this.#isTrusted(broadcasterId, userId);
    if (!isTrusted && this.#hasSaid(`${userId} ${broadcasterId}`, text))
      return {
        id: 'msg_duplicate',
        text: 'Your message was not sent because it is identical to the previous one you sent, less than 30 seconds ago.',
      };
    const isPaced = isTrusted || this.#recent.take(`${userId} ${broadcasterId}`, limits.channelMessages);
    if (isPaced && this.#recent.take(userId, isTrusted ? limits.moderatorMessages : limits.messages))
      return null;
    return {
      id: 'msg_ratelimit',
      text: 'Your message was not sent because you are sending messages too quickly.',
    };
  }

  /** Returns whether a chat takes one more announcement now; if so, it counts. */
  takeAnnouncement(broadcasterId: string): boolean {
    return this.#recent.take(`announcements ${broadcasterId}`, limits.announcements);
  }

  #isTrusted(broadcasterId: string, userId: string): boolean {
    return broadcasterId === userId || this.#world.isModerator(broadcasterId, userId);
  }

  /**
   * Returns whether somebody has said the same in a channel a moment ago; records it otherwise. System time.
   */
  #hasSaid(name: string, text: string): boolean {
    const nowMs = Date.now();
    const recent = (this.#said.get(name) ?? []).filter(({ atMs }) => atMs > nowMs - limits.sameMessageMs);
    const hasSaid = recent.some((line) => line.text === text);
    if (!hasSaid) recent.push({ text, atMs: nowMs });
    this.#said.set(name, recent);
    return hasSaid;
  }
}
