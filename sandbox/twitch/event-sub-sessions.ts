import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { isoTime } from './event-sub-topics.ts';
import { halfOpenForMs } from './irc-session.ts';
import { randomWord } from './token-store.ts';

const unusedConnectionMs = 10_000;
const reconnectGraceMs = 30_000;
const closeCodes = { inboundTraffic: 4001, unused: 4003, reconnectGraceOver: 4004, invalidReconnect: 4007 };

export interface EventSubSession {
  readonly id: string;
  readonly connectedAtMs: number;
  readonly keepaliveSeconds: number;
  /** The user of the first subscription; a socket serves one user only. */
  userId: string | null;
  /** A half-open socket: it looks open but carries nothing. */
  silent: boolean;
}

interface Connection extends EventSubSession {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  timers: { keepalive?: NodeJS.Timeout; unused?: NodeJS.Timeout; grace?: NodeJS.Timeout };
}

interface SessionEvents {
  /** A client reconnected after session_reconnect; its subscriptions move to the new session. */
  moved(fromId: string, toId: string): void;
  closed(id: string): void;
}

/** EventSub's WebSockets: welcome, keepalive, reconnect, and socket faults. */
export class EventSubSessions {
  readonly #connections = new Map<string, Connection>();
  readonly #minKeepaliveSeconds: number;
  readonly #events: SessionEvents;

  constructor(minKeepaliveSeconds: number, events: SessionEvents) {
    this.#minKeepaliveSeconds = minKeepaliveSeconds;
    this.#events = events;
  }

  find(id: string): EventSubSession | undefined {
    return this.#connections.get(id);
  }

  isOpen(id: string): boolean {
    const socket = this.#connections.get(id)?.socket;
    return socket !== undefined && socket.readyState === socket.OPEN;
  }

  /** Returns the number of open sockets that serve this user. */
  countOf(userId: string): number {
    return [...this.#connections.values()].filter((one) => one.userId === userId && !one.silent).length;
  }

  /** Assigns the session to this user. */
  take(id: string, userId: string | null): void {
    const connection = this.#connections.get(id);
    if (connection) connection.userId = userId;
    this.markUsed(id);
  }

  markUsed(id: string): void {
    clearTimeout(this.#connections.get(id)?.timers.unused);
  }

  accept(socket: WebSocket, request: IncomingMessage): void {
    const parameters = new URL(request.url ?? '/', 'http://localhost').searchParams;
    const previous = this.#connections.get(parameters.get('reconnect') ?? '');
    if (parameters.has('reconnect') && !previous) {
      socket.close(closeCodes.invalidReconnect, 'invalid reconnect');
      return;
    }
    const min = this.#minKeepaliveSeconds;
    const asked = Number(parameters.get('keepalive_timeout_seconds') ?? min);
    const connection: Connection = {
      id: `Sandbox${randomWord(24)}`,
      connectedAtMs: Date.now(),
      keepaliveSeconds: previous?.keepaliveSeconds ?? Math.min(600, Math.max(min, asked || min)),
      userId: previous?.userId ?? null,
      silent: false,
      socket,
      request,
      timers: {},
    };
    this.#connections.set(connection.id, connection);
    socket.on('message', () => socket.close(closeCodes.inboundTraffic, 'client sent inbound traffic'));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#remove(connection));
    this.#transmit(connection, 'session_welcome', {}, { session: sessionData(connection, 'connected') });
    if (previous) this.#events.moved(previous.id, connection.id);
    else
      connection.timers.unused = setTimeout(
        () => socket.close(closeCodes.unused, 'connection unused'),
        unusedConnectionMs,
      );
  }

  /** Sends a notification or revocation; `copies` repeats it with the same message id, as Twitch may. */
  send(
    id: string,
    subscription: { type: string; version: string },
    type: 'notification' | 'revocation',
    payload: Record<string, unknown>,
    { copies = 1, sentAtMs = Date.now() } = {},
  ): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    const metadata = {
      message_id: randomUUID(),
      message_timestamp: isoTime(sentAtMs),
      subscription_type: subscription.type,
      subscription_version: subscription.version,
    };
    for (let copy = 0; copy < copies; copy += 1) this.#transmit(connection, type, metadata, payload);
  }

  /** Asks every client to move to a new socket; those that do not within 30 s are disconnected. */
  requestReconnect(): void {
    for (const connection of this.#connections.values()) {
      const url = `ws://${connection.request.headers.host}/ws?reconnect=${connection.id}`;
      const session = { ...sessionData(connection, 'reconnecting'), reconnect_url: url };
      this.#transmit(connection, 'session_reconnect', {}, { session });
      connection.timers.grace = setTimeout(
        () => connection.socket.close(closeCodes.reconnectGraceOver, 'reconnect grace time expired'),
        reconnectGraceMs,
      );
    }
  }

  drop(id: string | null): void {
    this.#connections.get(id ?? '')?.socket.terminate();
  }

  dropAll(): void {
    for (const connection of this.#connections.values()) connection.socket.terminate();
  }

  /** Stops reading and writing without closing, like a broken network path, until the server gives up. */
  silenceAll(): void {
    for (const connection of this.#connections.values()) {
      connection.silent = true;
      clearTimers(connection);
      connection.request.socket.pause();
      setTimeout(() => connection.socket.terminate(), halfOpenForMs).unref();
    }
  }

  #transmit(
    connection: Connection,
    type: string,
    metadata: Record<string, unknown>,
    payload: Record<string, unknown>,
  ): void {
    if (connection.silent) return;
    const head = { message_id: randomUUID(), message_type: type, message_timestamp: isoTime(Date.now()) };
    connection.socket.send(JSON.stringify({ metadata: { ...head, ...metadata }, payload }));
    // Twitch sends a keepalive only when it has sent nothing else for that long.
    clearTimeout(connection.timers.keepalive);
    connection.timers.keepalive = setTimeout(
      () => this.#transmit(connection, 'session_keepalive', {}, {}),
      connection.keepaliveSeconds * 1000,
    );
  }

  #remove(connection: Connection): void {
    clearTimers(connection);
    this.#connections.delete(connection.id);
    this.#events.closed(connection.id);
  }
}

function clearTimers({ timers }: Connection): void {
  for (const timer of Object.values(timers)) clearTimeout(timer);
}

function sessionData(connection: Connection, status: 'connected' | 'reconnecting') {
  return {
    id: connection.id,
    status,
    connected_at: isoTime(connection.connectedAtMs),
    keepalive_timeout_seconds: status === 'connected' ? connection.keepaliveSeconds : null,
    reconnect_url: null,
    recovery_url: null,
  };
}
