import type { ApiClient } from '@twurple/api';
import { z } from 'zod';
import { AccountShares } from '#bot/account-shares.ts';
import { call } from '#bot/twitch/api.ts';
import { sharedChatLooks } from '#domain/budget/budgets.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Twitch is not asked again this soon; after failures the pause is doubled each time. Steady time. */
const FRESH_MS = 10 * second;
const MAX_PAUSE_MS = 2 * minute;
/**
 * An answer counts for this long while Twitch gives no other: one that a chat is shared for longer, because a line too many
 * shows in other channels, while a line too few only has to be asked for again. Steady time.
 */
const SHARED_FOR_MS = 10 * minute;
const ALONE_FOR_MS = 45 * second;
const MAX_CHATS = 5000;

const answer = z.object({ data: z.array(z.unknown()) });

export type SharedChatShares = ReturnType<typeof sharedChatShares>;

/** The share of the application's points that all chats of a process have together. */
export function sharedChatShares(now = steadyMs) {
  const all = new AccountShares(sharedChatLooks.all, now);
  const again = new AccountShares(sharedChatLooks.again, now);
  const chats = ['chats'];
  return {
    /**
     * Takes a turn, and returns whether there was one; a refused one takes nothing. Chats that nothing is known of
     * come first.
     */
    take(isKnown: boolean): boolean {
      const shares = isKnown ? [all, again] : [all];
      if (shares.some((share) => share.waitMs(chats) > 0)) return false;
      for (const share of shares) share.charge(chats, 1);
      return true;
    },
  };
}

export type SharedChats = ReturnType<typeof sharedChats>;

interface Chat {
  /** Twitch's last answer; null before the first. */
  known: { isShared: boolean; atMs: number } | null;
  failures: number;
  /** Steady time. */
  askAgainAtMs: number;
  /** The question under way, for which others wait too. */
  asking: Promise<void> | null;
}

/**
 * Knows which channels share their chat with others, who would see what is written over IRC or with a user's
 * token (dev.twitch.tv/docs/api/reference, "Get Shared Chat Session" and "Send Chat Message").
 */
export function sharedChats(application: Pick<ApiClient, 'callApi'>, shares: SharedChatShares) {
  const chats = boundedCache<string, Chat>('shared chats', MAX_CHATS);
  const lastKnown = (chat: Chat | undefined) => {
    if (!chat?.known) return null;
    const countsForMs = chat.known.isShared ? SHARED_FOR_MS : ALONE_FOR_MS;
    return steadyMs() - chat.known.atMs <= countsForMs ? chat.known : null;
  };

  const chatOf = (channelId: string): Chat =>
    chats.get(channelId) ?? { known: null, failures: 0, askAgainAtMs: 0, asking: null };

  const ask = async (channelId: string, chat: Chat): Promise<void> => {
    const query = { broadcaster_id: channelId };
    const asked = { type: 'helix', url: 'shared_chat/session', query, forceType: 'app' } as const;
    const askedAtMs = steadyMs();
    try {
      const { data } = answer.parse(await call(application.callApi(asked)));
      const isShared = data.length > 0;
      // A line that came meanwhile may be newer than the answer.
      const hasShown = chat.known?.isShared && chat.known.atMs >= askedAtMs;
      if (isShared || !hasShown) chat.known = { isShared, atMs: steadyMs() };
      chat.failures = 0;
    } catch {
      chat.failures += 1;
    }
    const pauseMs = FRESH_MS * 2 ** Math.max(0, chat.failures - 1);
    chat.askAgainAtMs = steadyMs() + Math.min(MAX_PAUSE_MS, pauseMs);
    chat.asking = null;
  };

  return {
    /**
     * Asks Twitch about a channel unless that was done just now, or all chats have used up their share. Never
     * throws: then the last answer stays.
     */
    async look(channelId: string): Promise<void> {
      const chat = chatOf(channelId);
      if (chat.asking) return chat.asking;
      if (steadyMs() < chat.askAgainAtMs || !shares.take(lastKnown(chat) !== null)) return;
      chats.set(channelId, chat);
      chat.asking = ask(channelId, chat);
      await chat.asking;
    },
    /** Records that a line said so: in a shared chat, and only there, every line names its source. */
    recordShared(channelId: string): void {
      const chat = chatOf(channelId);
      chat.known = { isShared: true, atMs: steadyMs() };
      chat.askAgainAtMs = Math.max(chat.askAgainAtMs, steadyMs() + FRESH_MS);
      chats.set(channelId, chat);
    },
    stateOf(channelId: string): 'shared' | 'alone' | 'unknown' {
      const known = lastKnown(chats.get(channelId));
      if (!known) return 'unknown';
      return known.isShared ? 'shared' : 'alone';
    },
  };
}
