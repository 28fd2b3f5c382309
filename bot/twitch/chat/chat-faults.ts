import type { Log } from '#bot/log.ts';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { second } from '#domain/kernel/time.ts';

/** For how long a recorded fault counts as known at most; the list of chats shows it sooner. */
const RECORDED_FOR_MS = 10 * second;
/** Twitch sends a notice about a line at once; a line without one after this long was taken. */
const NOTICE_WITHIN_MS = 5 * second;

interface Options {
  log: Log;
  /** The chats to be in, with what is known to be the matter with them. */
  rooms(): readonly ChatRoom[];
  recordFault(channelId: string, fault: ChatFault | null): Promise<void>;
}

/** Records where Twitch takes no lines from us, and where it does again: when it lets us in, or a line went through. */
export function trackFaults({ log, rooms, recordFault }: Options) {
  /** When a chat last refused something. System time. */
  const refusedAtMs = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const recorded = new Map<string, { fault: ChatFault | null; atMs: number }>();

  /** Undefined: not a chat to be in. */
  const knownOf = (channelId: string): ChatFault | null | undefined => {
    const last = recorded.get(channelId);
    if (last && Date.now() - last.atMs < RECORDED_FOR_MS) return last.fault;
    const room = rooms().find((one) => one.channelId === channelId);
    return room && (room.fault ?? null);
  };

  const record = (channelId: string, fault: ChatFault | null): void => {
    const isKnown = knownOf(channelId) === fault;
    if (fault) refusedAtMs.set(channelId, Date.now());
    if (isKnown) return;
    recorded.set(channelId, { fault, atMs: Date.now() });
    if (fault) log.warn({ channelId, fault }, 'Twitch takes no lines in a chat');
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
    /** Twitch let us in, so whatever kept us out is over; what it makes of our lines remains to be seen. */
    letIn(channelId: string): void {
      const known = knownOf(channelId);
      if (known === 'banned' || known === 'suspended') record(channelId, null);
    },
    /** A line was sent, of which Twitch tells only refusals. */
    sent(channelLogin: string): void {
      const room = rooms().find(({ login }) => login === channelLogin);
      if (!room?.fault) return;
      const sentAtMs = Date.now();
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
