import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { TwitchContext } from './context.ts';
import { type EventSubSession, EventSubSessions } from './event-sub-sessions.ts';
import { type Condition, isoTime, type Topic, topics } from './event-sub-topics.ts';
import {
  type HelixCall,
  type HelixRoutes,
  hasScope,
  isBroadcasterOrModerator,
  type UserToken,
} from './helix-route.ts';
import { page, Refusal } from './http-answers.ts';
import type { TwitchWorld } from './world.ts';
import type { WorldEvent } from './world-state.ts';

const limits = { socketsPerUser: 3, subscriptionsPerSocket: 300, totalCost: 10 };
const path = '/eventsub/subscriptions';

interface EventSubscription {
  id: string;
  type: string;
  topic: Topic;
  condition: Condition;
  userId: string;
  sessionId: string;
  createdAtMs: number;
  connectedAtMs: number;
  cost: number;
}

/** EventSub over WebSocket: subscriptions live and die with the socket they were made for. */
export function registerEventSub(routes: HelixRoutes, { world }: TwitchContext) {
  const subscriptions = new Map<string, EventSubscription>();
  const sessions = new EventSubSessions({
    moved(fromId, toId) {
      for (const one of subscriptions.values()) if (one.sessionId === fromId) one.sessionId = toId;
    },
    closed(id) {
      for (const one of subscriptions.values()) if (one.sessionId === id) subscriptions.delete(one.id);
    },
  });

  routes.any('POST', path, (call) => {
    const made = subscribe(call, sessions, subscriptions);
    subscriptions.set(made.id, made);
    return call.reply
      .code(202)
      .send({ data: [subscriptionData(made)], ...totals(subscriptions, made.userId) });
  });
  routes.any('GET', path, (call) => listSubscriptions(call, subscriptions));
  routes.any('DELETE', path, (call) => {
    const found = subscriptions.get(call.query.require('id'));
    if (found?.userId !== call.token.userId) throw new Refusal(404, 'subscription not found');
    subscriptions.delete(found.id);
    return call.reply.code(204).send();
  });

  const stopListening = [
    world.subscribeToEvents((happened) => deliver(world, happened, sessions, subscriptions)),
    world.faults.onSocketFault((fault) => {
      if (fault === 'eventSubReconnect') sessions.requestReconnect();
      if (fault === 'eventSubDrop') sessions.dropAll();
      if (fault === 'eventSubHalfOpen') sessions.silenceAll();
    }),
  ];
  return {
    accept: (socket: WebSocket, request: IncomingMessage) => sessions.accept(socket, request),
    close() {
      for (const stop of stopListening) stop();
      sessions.dropAll();
    },
  };
}

function deliver(
  world: TwitchWorld,
  happened: WorldEvent,
  sessions: EventSubSessions,
  subscriptions: Map<string, EventSubscription>,
): void {
  for (const one of subscriptions.values()) {
    const head = { type: one.type, version: one.topic.version };
    if (happened.type === 'authorizationRevoked' && happened.userId === one.userId) {
      subscriptions.delete(one.id);
      const subscription = { ...subscriptionData(one), status: 'authorization_revoked' };
      sessions.send(one.sessionId, 'revocation', head, { subscription });
      continue;
    }
    const event = one.topic.eventOf(world, happened, one.condition);
    if (!event) continue;
    const copies = world.faults.takeDuplicateEvent() ? 2 : 1;
    sessions.send(
      one.sessionId,
      'notification',
      head,
      { subscription: subscriptionData(one), event },
      copies,
    );
  }
}

function subscribe(
  call: HelixCall,
  sessions: EventSubSessions,
  subscriptions: ReadonlyMap<string, EventSubscription>,
): EventSubscription {
  const { world, body } = call;
  const userId = call.token.userId;
  if (userId === null) throw new Refusal(400, 'invalid transport and auth combination');
  const token: UserToken = { ...call.token, userId };
  const type = typeof body.type === 'string' ? body.type : '';
  const topic = topics[type];
  if (!topic || topic.version !== body.version)
    throw new Refusal(400, 'invalid subscription type and version');
  const condition = readCondition(topic, body.condition);
  requireAuthorization(world, topic, condition, token);
  const session = requireSession(sessions, body.transport, userId);
  const mine = [...subscriptions.values()].filter((one) => one.sessionId === session.id);
  if (mine.length >= limits.subscriptionsPerSocket)
    throw new Refusal(429, 'number of subscriptions on the websocket exceeded');
  if (mine.some((one) => one.type === type && sameCondition(one.condition, condition)))
    throw new Refusal(409, 'subscription already exists');
  const channelId = condition.broadcaster_user_id ?? '';
  const isAuthorized = world.tokens.grantedScopes(channelId, call.token.clientId) !== null;
  const cost = isAuthorized ? 0 : 1;
  if (cost + totals(subscriptions, userId).total_cost > limits.totalCost)
    throw new Refusal(429, 'maximum total cost exceeded');
  session.userId = userId;
  sessions.markUsed(session.id);
  return {
    id: randomUUID(),
    type,
    topic,
    condition,
    userId,
    sessionId: session.id,
    createdAtMs: Date.now(),
    connectedAtMs: session.connectedAtMs,
    cost,
  };
}

function readCondition(topic: Topic, given: unknown): Condition {
  const condition: Condition = {};
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== undefined && value !== null && value !== '') condition[name] = String(value);
  const missing = topic.required.find((name) => !condition[name]);
  if (missing) throw new Refusal(400, `missing condition field: ${missing}`);
  return condition;
}

function requireAuthorization(
  world: TwitchWorld,
  topic: Topic,
  condition: Condition,
  token: UserToken,
): void {
  if (!world.userById(condition.broadcaster_user_id ?? ''))
    throw new Refusal(400, 'invalid broadcaster_user_id');
  const refuse = () => new Refusal(403, 'subscription missing proper authorization');
  if (topic.scopes.length > 0 && !hasScope(token, topic.scopes)) throw refuse();
  if (topic.authorizedBy && condition[topic.authorizedBy] !== token.userId) throw refuse();
  const mustModerate = topic.authorizedBy === 'moderator_user_id';
  if (mustModerate && !isBroadcasterOrModerator(world, condition.broadcaster_user_id ?? '', token.userId))
    throw refuse();
}

function requireSession(sessions: EventSubSessions, given: unknown, userId: string): EventSubSession {
  const transport = (given ?? {}) as { method?: unknown; session_id?: unknown };
  if (transport.method !== 'websocket') throw new Refusal(400, 'invalid transport and auth combination');
  const session = sessions.find(String(transport.session_id));
  if (!session || session.silent)
    throw new Refusal(400, 'session does not exist or has already disconnected');
  if (session.userId !== null && session.userId !== userId)
    throw new Refusal(400, 'websocket transport cannot have subscriptions created by different users');
  if (session.userId === null && sessions.countOf(userId) >= limits.socketsPerUser)
    throw new Refusal(429, 'number of websocket transports limit exceeded');
  return session;
}

function listSubscriptions(call: HelixCall, subscriptions: ReadonlyMap<string, EventSubscription>) {
  const { query, token } = call;
  const mine = [...subscriptions.values()].filter((one) => one.userId === token.userId);
  const [type, status, userId] = [query.get('type'), query.get('status'), query.get('user_id')];
  const wanted = mine
    .filter((one) => !type || one.type === type)
    .filter(() => !status || status === 'enabled')
    .filter((one) => !userId || Object.values(one.condition).includes(userId));
  const { data, pagination } = page(wanted, query, { default: 100, most: 100 });
  return { data: data.map(subscriptionData), ...totals(subscriptions, token.userId), pagination };
}

function totals(subscriptions: ReadonlyMap<string, EventSubscription>, userId: string | null) {
  const mine = [...subscriptions.values()].filter((one) => one.userId === userId);
  return {
    total: mine.length,
    total_cost: mine.reduce((sum, one) => sum + one.cost, 0),
    max_total_cost: limits.totalCost,
  };
}

function sameCondition(one: Condition, other: Condition): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

function subscriptionData(one: EventSubscription) {
  return {
    id: one.id,
    status: 'enabled',
    type: one.type,
    version: one.topic.version,
    condition: one.condition,
    created_at: isoTime(one.createdAtMs),
    transport: {
      method: 'websocket',
      session_id: one.sessionId,
      connected_at: isoTime(one.connectedAtMs),
    },
    cost: one.cost,
  };
}
