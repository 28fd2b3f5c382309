import { WebSocket } from 'ws';
import type { BotDeps } from '#bot/deps.ts';
import {
  type EventMessage,
  type Notification,
  type Revocation,
  readEventMessage,
} from '#bot/twitch/events/event-message.ts';

export interface EventSocketEvents {
  /** Called when a session is open. With `moved` it continues the previous one with all its subscriptions. */
  welcomed(sessionId: string, moved: boolean): void;
  /** Called when the session and its subscriptions are lost. A new session follows automatically. */
  lost(): void;
  notified(notification: Notification): void;
  revoked(revocation: Revocation): void;
}

export interface EventSocket {
  stop(): void;
}

/** Twitch sends a welcome at once; without one by then, the connection is retried. System time. */
const WELCOME_MS = 15_000;
/** Twitch promises a message per keepalive interval; this allows for network delay. */
const LENIENCE = 1.2;
/** Pauses before another attempt: each is twice the one before. */
export const RETRY_MS = { min: 500, max: 30_000 };
/**
 * After a session of this length the pauses begin anew. A shorter one may have been closed because nothing could be
 * subscribed to: Twitch gives ten seconds.
 */
const STEADY_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/**
 * One EventSub session over a WebSocket. It moves to another socket when Twitch asks for it, and reconnects with
 * growing pauses when a socket closes or falls silent. It never sends anything, because Twitch closes sockets that do.
 */
export function openEventSocket(
  { url, log }: { url: string; log: BotDeps['log'] },
  events: EventSocketEvents,
): EventSocket {
  const sockets = new Set<WebSocket>();
  let current: WebSocket | null = null;
  let failures = 0;
  let welcomedAtMs = 0;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const connect = (address: string, moving: boolean): void => {
    const socket = listenOn(address, log, {
      received(message) {
        if (stopped) return;
        if (message.kind === 'welcome') welcomed(socket, message.sessionId, moving);
        else if (message.kind === 'notification') events.notified(message.notification);
        else if (message.kind === 'revocation') events.revoked(message.revocation);
        else if (message.kind === 'reconnect') connect(message.url, true);
      },
      closed: () => closed(socket),
    });
    sockets.add(socket);
  };

  const welcomed = (socket: WebSocket, sessionId: string, moving: boolean): void => {
    const before = current;
    current = socket;
    welcomedAtMs = performance.now();
    // If the old socket closed before the move, the loss was already reported.
    events.welcomed(sessionId, moving && before !== null);
    before?.close();
  };

  const closed = (socket: WebSocket): void => {
    sockets.delete(socket);
    if (stopped) return;
    if (socket === current) {
      current = null;
      if (performance.now() - welcomedAtMs >= STEADY_MS) failures = 0;
      events.lost();
    }
    if (sockets.size > 0) return;
    const maxPauseMs = Math.min(RETRY_MS.max, RETRY_MS.min * 2 ** failures);
    failures += 1;
    retry = setTimeout(() => connect(url, false), maxPauseMs * (0.5 + Math.random() / 2));
  };

  connect(url, false);
  return {
    stop() {
      stopped = true;
      clearTimeout(retry);
      for (const socket of sockets) socket.terminate();
    },
  };
}

interface SocketEvents {
  received(message: EventMessage): void;
  closed(): void;
}

/** One WebSocket, closed when it is silent for longer than Twitch promises. */
function listenOn(address: string, log: BotDeps['log'], { received, closed }: SocketEvents): WebSocket {
  const socket = new WebSocket(address, {
    handshakeTimeout: WELCOME_MS,
    maxPayload: MAX_BYTES,
    perMessageDeflate: false,
  });
  let silenceMs = WELCOME_MS;
  let silence = setTimeout(() => socket.terminate(), silenceMs);
  socket.on('message', (data) => {
    try {
      const message = readEventMessage(String(data));
      if (message.kind === 'welcome') silenceMs = message.keepaliveMs * LENIENCE;
      received(message);
    } catch (error) {
      log.warn({ err: error }, 'could not parse an event message');
    }
    clearTimeout(silence);
    silence = setTimeout(() => socket.terminate(), silenceMs);
  });
  // Every error also closes the socket, which is handled there.
  socket.on('error', (error) => log.debug({ err: error }, 'an event socket failed'));
  socket.on('close', (code) => {
    clearTimeout(silence);
    log.debug({ code }, 'an event socket closed');
    closed();
  });
  return socket;
}
