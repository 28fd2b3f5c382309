import { WebSocket } from 'ws';
import type { BotDeps } from '#bot/deps.ts';
import {
  type EventMessage,
  type Notification,
  type Revocation,
  readEventMessage,
} from '#bot/twitch/events/event-message.ts';

export interface EventSocketEvents {
  /** A session stands. `moved`: it goes on from the one before, with everything that was subscribed for that. */
  welcomed(sessionId: string, moved: boolean): void;
  /** The session is gone with everything that was subscribed for it alone. A new one follows by itself. */
  lost(): void;
  notified(notification: Notification): void;
  revoked(revocation: Revocation): void;
}

export interface EventSocket {
  stop(): void;
}

/** Twitch greets at once; who is not greeted by then asks anew. System time. */
const WELCOME_MS = 15_000;
/** Twitch promises a word per keepalive interval; the network may be a little slower. */
const LENIENCE = 1.2;
const RETRY_MS = { shortest: 500, longest: 30_000 };
const MAX_BYTES = 1024 * 1024;

/**
 * One EventSub session over a WebSocket. It moves to another socket when Twitch asks for it, and begins anew, ever more
 * slowly, when a socket closed or fell silent. Nothing is ever said on it: Twitch closes sockets that speak.
 */
export function openEventSocket(
  { url, log }: { url: string; log: BotDeps['log'] },
  events: EventSocketEvents,
): EventSocket {
  const sockets = new Set<WebSocket>();
  let current: WebSocket | null = null;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const connect = (address: string, moving: boolean): void => {
    const socket = listenOn(address, log, {
      said(message) {
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
    failures = 0;
    // A move whose old socket closed before this was already told as a loss.
    events.welcomed(sessionId, moving && before !== null);
    before?.close();
  };

  const closed = (socket: WebSocket): void => {
    sockets.delete(socket);
    if (stopped) return;
    if (socket === current) {
      current = null;
      events.lost();
    }
    if (sockets.size > 0) return;
    const longest = Math.min(RETRY_MS.longest, RETRY_MS.shortest * 2 ** failures);
    failures += 1;
    retry = setTimeout(() => connect(url, false), longest * (0.5 + Math.random() / 2));
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
  said(message: EventMessage): void;
  closed(): void;
}

/** One WebSocket, ended when it has been silent for longer than Twitch promises. */
function listenOn(address: string, log: BotDeps['log'], { said, closed }: SocketEvents): WebSocket {
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
      said(message);
    } catch (error) {
      log.warn({ err: error }, 'an event message was not understood');
    }
    clearTimeout(silence);
    silence = setTimeout(() => socket.terminate(), silenceMs);
  });
  // Whatever goes wrong closes the socket, and that is where it is dealt with.
  socket.on('error', (error) => log.debug({ err: error }, 'an event socket failed'));
  socket.on('close', (code) => {
    clearTimeout(silence);
    log.debug({ code }, 'an event socket closed');
    closed();
  });
  return socket;
}
