import type { BotDeps } from '#bot/deps.ts';
import type { Notification, Revocation } from '#bot/twitch/events/event-message.ts';
import { type EventSocket, openEventSocket } from '#bot/twitch/events/event-socket.ts';

interface Shard {
  readonly id: string;
  socket: EventSocket | null;
  session: string | null;
  /** The session that Twitch accepted last; it may list it for a while after its end. */
  accepted: string | null;
  /** True if Twitch delivers to this session. */
  isKnown: boolean;
}

interface Events {
  /** A shard has a session that Twitch does not know yet. */
  welcomed(): void;
  /** Messages recently sent to a shard may be lost. */
  lost(): void;
  notified(notification: Notification): void;
  revoked(revocation: Revocation): void;
}

interface Deps {
  url: string;
  log: BotDeps['log'];
  events: Events;
}

export type Shards = ReturnType<typeof openShards>;

/** The WebSockets of a conduit, closed at first. The caller assigns their sessions to the shards on Twitch. */
export function openShards(count: number, { url, log, events }: Deps) {
  const shards: Shard[] = Array.from({ length: count }, (_, index) => ({
    id: String(index),
    socket: null,
    session: null,
    accepted: null,
    isKnown: false,
  }));
  let stopped = false;
  const openSocket = (shard: Shard): EventSocket =>
    openEventSocket(
      { url, log },
      {
        welcomed(session, moved) {
          // After a move the session may keep its id, and Twitch's assignment with it.
          shard.isKnown = shard.isKnown && moved && session === shard.session;
          shard.session = session;
          if (!shard.isKnown) events.welcomed();
        },
        lost() {
          Object.assign(shard, { session: null, isKnown: false });
          events.lost();
        },
        notified: events.notified,
        revoked: events.revoked,
      },
    );
  const close = (): void => {
    for (const shard of shards) {
      shard.socket?.stop();
      Object.assign(shard, { socket: null, session: null, isKnown: false });
    }
  };
  return {
    open(): void {
      if (stopped) return;
      for (const shard of shards) shard.socket ??= openSocket(shard);
    },
    /** Closes the sockets, which Twitch would do with unused ones, until `open`. */
    rest(): void {
      const wereOpen = shards.some(({ socket }) => socket !== null);
      close();
      if (wereOpen) events.lost();
    },
    areElsewhere: (sessions: ReadonlyMap<string, string>) => areElsewhere(shards, sessions),
    /** Sessions that Twitch does not know yet, by shard. */
    unreported: () =>
      new Map(shards.flatMap(({ id, session, isKnown }) => (session && !isKnown ? [[id, session]] : []))),
    /** Twitch accepted these sessions. */
    markKnown(sessions: ReadonlyMap<string, string>): void {
      for (const shard of shards)
        if (shard.session !== null && sessions.get(shard.id) === shard.session)
          Object.assign(shard, { isKnown: true, accepted: shard.session });
    },
    /** Twitch delivers to these sessions and no others. */
    markUnknownExcept(sessions: ReadonlyMap<string, string>): void {
      for (const shard of shards) if (sessions.get(shard.id) !== shard.session) shard.isKnown = false;
    },
    /** Twitch delivers to at least one shard. */
    anyKnown: () => shards.some(({ isKnown }) => isKnown),
    stop(): void {
      stopped = true;
      close();
    },
  };
}

/**
 * Returns whether the sessions that Twitch delivers to are another process's. If two processes share them,
 * the one with the first shard has all. Shards beyond the conduit's size stay listed with sessions that ended
 * long ago (twitchdev/issues 914), and say nothing.
 */
function areElsewhere(shards: readonly Shard[], sessions: ReadonlyMap<string, string>): boolean {
  const isOurs = (id: string) => shards.some(({ session, accepted }) => id === session || id === accepted);
  const hasFirst = isOurs(sessions.get('0') ?? '');
  const listed = shards.map(({ id }) => sessions.get(id) ?? '');
  return !hasFirst && listed.some((session) => session !== '' && !isOurs(session));
}
