import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import type { LineWay } from '#bot/twitch/chat/line-ways.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/**
 * The pause before a chat that is held is asked about again, doubled while it stays shared: held chats leave the share of
 * questions to those into which somebody wants a line. Steady time.
 */
const FIRST_PAUSE_MS = 30 * second;
const LONGEST_PAUSE_MS = 2 * minute;

interface Options {
  /** The chats that the account is in over IRC. */
  rooms(): readonly ChatRoom[];
  wayInto(room: ChatRoom): LineWay;
  /** Asks Twitch whether a chat is shared. Never throws. */
  look(channelId: string): Promise<void>;
  onFault(channelId: string, fault: ChatFault | null): void;
  /** Returns whether the account may act now. */
  mayAct(): boolean;
}

/** Reports the chats into which nothing is written because they are shared, and asks until they are not any more. */
export function sharedHolds({ rooms, wayInto, look, onFault, mayAct }: Options) {
  const pauses = new Map<string, { pauseMs: number; untilMs: number }>();
  let isUnderWay = false;

  const check = async (room: ChatRoom): Promise<void> => {
    const last = pauses.get(room.channelId);
    const isDue = !last || steadyMs() >= last.untilMs;
    if (isDue && wayInto(room) !== 'api') await look(room.channelId);
    if (!mayAct()) return;
    const way = wayInto(room);
    if (isDue) {
      const isLonger = last !== undefined && way === 'held';
      const pauseMs = isLonger ? Math.min(2 * last.pauseMs, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
      pauses.set(room.channelId, { pauseMs, untilMs: steadyMs() + pauseMs });
    }
    if (way === 'held' && !room.fault) onFault(room.channelId, 'shared');
    if (way !== 'held' && way !== 'unknown' && room.fault === 'shared') onFault(room.channelId, null);
  };

  return {
    /** Looks at the chats that are held, once at a time. Never throws. */
    async check(): Promise<void> {
      if (isUnderWay || !mayAct()) return;
      isUnderWay = true;
      const held = rooms().filter((room) => room.fault === 'shared' || wayInto(room) === 'held');
      const ids = new Set(held.map(({ channelId }) => channelId));
      for (const channelId of pauses.keys()) if (!ids.has(channelId)) pauses.delete(channelId);
      await Promise.all(held.map(check)).finally(() => {
        isUnderWay = false;
      });
    },
  };
}
