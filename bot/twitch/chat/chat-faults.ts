import type { Log } from '#bot/log.ts';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** A recorded fault counts as known for at most this long; the list of chats shows it sooner. */
const RECORDED_FOR_MS = 10 * second;
/** Twitch sends a notice about a line at once; a line without one after this long was accepted. */
const NOTICE_WITHIN_MS = 5 * second;

interface Options {
  log: Log;
  /** The chats to be in, with their known faults. */
  rooms(): readonly ChatRoom[];
  recordFault(channelId: string, fault: ChatFault | null): Promise<void>;
}

/**
 * Records the chats in which Twitch takes no lines from us, and those in which it does again: it lets us in,
 * or a line went through.
 */
export function trackFaults({ log, rooms, recordFault }: Options) {
  /** Time of the last refusal in each chat. Steady time. */
  const refusedAtMs = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const recorded = new Map<string, { fault: ChatFault | null; atMs: number }>();

  /** Undefined if it is not a chat to be in. */
  const knownOf = (channelId: string): ChatFault | null | undefined => {
    const last = recorded.get(channelId);
    if (last && steadyMs() - last.atMs < RECORDED_FOR_MS) return last.fault;
    const room = rooms().find((one) => one.channelId === channelId);
    return room && (room.fault ?? null);
  };

  const record = (channelId: string, fault: ChatFault | null): void => {
    const isKnown = knownOf(channelId) === fault;
    if (fault) refusedAtMs.set(channelId, steadyMs());
    if (isKnown) return;
    recorded.set(channelId, { fault, atMs: steadyMs() });
    if (fault) log.warn({ channelId, fault }, 'our lines do not reach a chat');
    recordFault(channelId, fault).catch((error) => {
      log.error({ err: error, channelId }, 'could not record what is the matter with a chat');
    });
  };

  return {
    record,
    tooFast(channelLogin: string): void {
      const room = rooms().find(({ login }) => login === channelLogin);
      if (room) record(room.channelId, 'tooFast');
    },
    /**
     * Called when Twitch lets us in, so a ban is over, and an account is connected; whether it accepts our lines is
     * not known yet.
     */
    letIn(channelId: string): void {
      const known = knownOf(channelId);
      if (known === 'banned' || known === 'suspended' || known === 'notConnected') record(channelId, null);
    },
    /**
     * Called when a line was sent; Twitch reports only refusals. An account that is no longer connected can write as long
     * as its connection lasts.
     */
    sent(channelLogin: string): void {
      const room = rooms().find(({ login }) => login === channelLogin);
      if (!room?.fault || room.fault === 'notConnected') return;
      const sentAtMs = steadyMs();
      const timer = setTimeout(() => {
        timers.delete(timer);
        if ((refusedAtMs.get(room.channelId) ?? 0) < sentAtMs) record(room.channelId, null);
      }, NOTICE_WITHIN_MS);
      timers.add(timer);
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
