import type { BotDeps } from '#bot/deps.ts';
import type { Notification, Revocation } from '#bot/twitch/events/event-message.ts';
import { openEventSocket } from '#bot/twitch/events/event-socket.ts';

interface Shard {
  readonly id: string;
  session: string | null;
  /** Twitch delivers to this session. */
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

/** The WebSockets of a conduit. The caller assigns their sessions to the shards on Twitch. */
export function openShards(count: number, { url, log, events }: Deps) {
  const shards: Shard[] = Array.from({ length: count }, (_, index) => ({
    id: String(index),
    session: null,
    isKnown: false,
  }));
  const sockets = shards.map((shard) =>
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
    ),
  );
  return {
    /** Sessions that Twitch does not know yet, by shard. */
    unreported: () =>
      new Map(shards.flatMap(({ id, session, isKnown }) => (session && !isKnown ? [[id, session]] : []))),
    /** Twitch accepted these sessions. */
    markKnown(sessions: ReadonlyMap<string, string>): void {
      for (const shard of shards) if (sessions.get(shard.id) === shard.session) shard.isKnown = true;
    },
    /** Twitch delivers to these sessions and no others. */
    markUnknownExcept(sessions: ReadonlyMap<string, string>): void {
      for (const shard of shards) if (sessions.get(shard.id) !== shard.session) shard.isKnown = false;
    },
    /** Twitch delivers to at least one shard. */
    anyKnown: () => shards.some(({ isKnown }) => isKnown),
    stop(): void {
      for (const socket of sockets) socket.stop();
    },
  };
}
