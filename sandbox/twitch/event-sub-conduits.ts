import { randomUUID } from 'node:crypto';
import type { EventSubSessions } from './event-sub-sessions.ts';
import { isoTime } from './event-sub-topics.ts';
import type { HelixCall, HelixRoutes } from './helix-route.ts';
import { page, Refusal } from './http-answers.ts';

const limits = { conduits: 5, shards: 20_000 };
const path = '/mock/eventsub/conduits';

interface Shard {
  id: string;
  /** Null: never assigned. */
  sessionId: string | null;
  status: 'enabled' | 'websocket_disconnected' | 'websocket_connection_unused';
  connectedAtMs: number;
}

export interface Conduit {
  readonly id: string;
  readonly clientId: string;
  shards: Shard[];
  /** Counts events, to choose the shard for the next one. */
  turn: number;
}

/** Conduits and their WebSocket shards. They outlive their sockets, but not the sandbox process. */
export class Conduits {
  readonly #conduits = new Map<string, Conduit>();
  readonly #sessions: EventSubSessions;

  constructor(sessions: EventSubSessions) {
    this.#sessions = sessions;
  }

  all(): Conduit[] {
    return [...this.#conduits.values()];
  }

  require(id: unknown, clientId: string): Conduit {
    const conduit = this.#conduits.get(String(id));
    if (conduit?.clientId !== clientId) throw new Refusal(404, 'conduit not found');
    return conduit;
  }

  create(clientId: string, count: number): Conduit {
    if (this.all().filter((one) => one.clientId === clientId).length >= limits.conduits)
      throw new Refusal(429, 'conduit limit exceeded');
    const conduit: Conduit = { id: randomUUID(), clientId, shards: [], turn: 0 };
    this.#conduits.set(conduit.id, conduit);
    this.resize(conduit, count);
    return conduit;
  }

  resize(conduit: Conduit, count: number): void {
    const { shards } = conduit;
    conduit.shards = Array.from(
      { length: count },
      (_, index) =>
        shards[index] ?? {
          id: String(index),
          sessionId: null,
          status: 'websocket_connection_unused',
          connectedAtMs: 0,
        },
    );
  }

  delete(id: string): void {
    this.#conduits.delete(id);
  }

  /** Assigns a socket to a shard; false when the session does not exist. */
  assign(shard: Shard, sessionId: unknown): boolean {
    const session = this.#sessions.find(String(sessionId));
    if (!session || session.silent) return false;
    Object.assign(shard, {
      sessionId: session.id,
      status: 'enabled',
      connectedAtMs: session.connectedAtMs,
    });
    this.#sessions.markUsed(session.id);
    return true;
  }

  /** A client reconnected after session_reconnect. */
  moved(fromId: string, toId: string): void {
    for (const shard of this.#shardsOn(fromId)) shard.sessionId = toId;
  }

  /** Disables a shard whose socket closed, until another one is assigned. */
  closed(sessionId: string): void {
    for (const shard of this.#shardsOn(sessionId)) shard.status = 'websocket_disconnected';
  }

  /**
   * The session for the next event: the next shard's, or another one's when that fails, as on Twitch; null when there is
   * none.
   */
  targetOf(conduitId: string): string | null {
    const conduit = this.#conduits.get(conduitId);
    if (!conduit) return null;
    conduit.turn += 1;
    const first = conduit.shards[conduit.turn % conduit.shards.length];
    const takes = (shard: Shard | undefined) =>
      shard?.status === 'enabled' && this.#sessions.isOpen(shard.sessionId ?? '');
    if (takes(first)) return first?.sessionId ?? null;
    return conduit.shards.find(takes)?.sessionId ?? null;
  }

  /** The session of any enabled shard. */
  anySession(): string | null {
    const shard = this.all()
      .flatMap(({ shards }) => shards)
      .find(({ status }) => status === 'enabled');
    return shard?.sessionId ?? null;
  }

  #shardsOn(sessionId: string): Shard[] {
    return this.all()
      .flatMap(({ shards }) => shards)
      .filter((shard) => shard.sessionId === sessionId && shard.status === 'enabled');
  }
}

/** Helix for conduits and shards. Twitch documents `shard_count` in the body, but Twurple sends it in the query. */
export function registerConduits(
  routes: HelixRoutes,
  conduits: Conduits,
  deleted: (conduitId: string) => void,
): void {
  const given = ({ query, body }: HelixCall, name: string) => body[name] ?? query.get(name);
  const countIn = (call: HelixCall): number => {
    const count = Number(given(call, 'shard_count'));
    if (!Number.isInteger(count) || count < 1 || count > limits.shards)
      throw new Refusal(400, 'The shard_count is not valid.');
    return count;
  };
  routes.app('GET', path, ({ token }) => ({
    data: conduits
      .all()
      .filter(({ clientId }) => clientId === token.clientId)
      .map(conduitData),
  }));
  routes.app('POST', path, (call) => ({
    data: [conduitData(conduits.create(call.token.clientId, countIn(call)))],
  }));
  routes.app('PATCH', path, (call) => {
    const conduit = conduits.require(given(call, 'id'), call.token.clientId);
    conduits.resize(conduit, countIn(call));
    return { data: [conduitData(conduit)] };
  });
  routes.app('DELETE', path, ({ query, token, reply }) => {
    const { id } = conduits.require(query.require('id'), token.clientId);
    deleted(id);
    return reply.code(204).send();
  });
  routes.app('GET', `${path}/shards`, ({ query, token }) => {
    const status = query.get('status');
    const { shards } = conduits.require(query.require('conduit_id'), token.clientId);
    const wanted = shards.filter((shard) => !status || shard.status === status);
    const { data, pagination } = page(wanted, query, { default: 100, max: 100 });
    return { data: data.map(shardData), pagination };
  });
  routes.app('PATCH', `${path}/shards`, (call) => updateShards(call, conduits));
}

/** Twitch answers 202 even when it refuses some of the shards; those are listed in `errors`. */
function updateShards({ body, token, reply }: HelixCall, conduits: Conduits) {
  const conduit = conduits.require(body.conduit_id, token.clientId);
  const asked = Array.isArray(body.shards) ? body.shards : [];
  const data: ReturnType<typeof shardData>[] = [];
  const errors: { id: string; message: string; code: string }[] = [];
  for (const { id, transport } of asked) {
    const shard = conduit.shards.find((one) => one.id === String(id));
    const refuse = (message: string) => errors.push({ id: String(id), message, code: 'invalid_parameter' });
    if (!shard) refuse('The shard id is outside of the conduit’s range');
    else if (transport?.method !== 'websocket') refuse('This sandbox has only WebSocket shards');
    else if (!conduits.assign(shard, transport.session_id)) refuse('The websocket session is not connected');
    else data.push(shardData(shard));
  }
  return reply.code(202).send({ data, errors });
}

const conduitData = ({ id, shards }: Conduit) => ({ id, shard_count: shards.length });

const shardData = ({ id, status, sessionId, connectedAtMs }: Shard) => ({
  id,
  status,
  transport: {
    method: 'websocket',
    session_id: sessionId ?? '',
    ...(sessionId && { connected_at: isoTime(connectedAtMs) }),
  },
});
