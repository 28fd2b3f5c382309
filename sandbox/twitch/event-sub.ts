import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { replayOf } from '../shapes/replay.ts';
import type { TwitchContext } from './context.ts';
import { Conduits, registerConduits } from './event-sub-conduits.ts';
import { EventSubRegistry, type EventSubscription, type Transport } from './event-sub-registry.ts';
import { type EventSubSession, EventSubSessions } from './event-sub-sessions.ts';
import { type Condition, isoTime, type Topic, topics } from './event-sub-topics.ts';
import { type HelixCall, type HelixRoutes, hasScope, isBroadcasterOrModerator } from './helix-route.ts';
import { page, Refusal } from './http-answers.ts';
import type { TwitchWorld } from './world.ts';
import type { WorldEvent } from './world-state.ts';

const limits = {
  socketsPerUser: 3,
  subscriptionsPerSocket: 300,
  totalCost: 10,
  totalCostOfApplication: 10_000,
};
const path = '/eventsub/subscriptions';

/** The targets of subscriptions. */
interface Carriers {
  sessions: EventSubSessions;
  conduits: Conduits;
  /** Delayed notifications, sent after the next one. */
  late: (() => void)[];
}

/**
 * EventSub over WebSocket: a user's subscriptions end with their socket; an application's belong to a conduit and
 * outlive its sockets.
 */
export function registerEventSub(routes: HelixRoutes, { world, keepaliveSeconds }: TwitchContext) {
  const subscriptions = new EventSubRegistry();
  const onSession = (id: string) =>
    subscriptions
      .all()
      .flatMap((one) =>
        one.transport.method === 'websocket' && one.transport.sessionId === id
          ? [{ id: one.id, transport: one.transport }]
          : [],
      );
  const sessions = new EventSubSessions(keepaliveSeconds, {
    moved(fromId, toId) {
      for (const { transport } of onSession(fromId)) transport.sessionId = toId;
      conduits.moved(fromId, toId);
    },
    closed(id) {
      const { lingering } = world.faults;
      for (const one of onSession(id))
        if (lingering) Object.assign(subscriptions.get(one.id) ?? {}, { status: lingering });
        else subscriptions.delete(one.id);
      conduits.closed(id);
    },
  });
  const conduits = new Conduits(sessions);
  const carriers: Carriers = { sessions, conduits, late: [] };
  const deleteConduit = (conduitId: string) => {
    conduits.delete(conduitId);
    for (const { id, transport } of [...subscriptions.all(), ...subscriptions.endedOf(null)])
      if (transport.method === 'conduit' && transport.conduitId === conduitId) subscriptions.delete(id);
  };
  registerConduits(routes, conduits, deleteConduit);

  routes.any('POST', path, (call) => {
    const made = subscribe(call, carriers, subscriptions);
    subscriptions.add(made);
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
    world.subscribeToEvents((happened) => deliver(world, happened, carriers, subscriptions)),
    world.faults.onBan((broadcasterId) => revokeBanned(world, broadcasterId, carriers, subscriptions)),
    world.faults.onSocketFault((fault) => {
      if (fault === 'eventSubReconnect') sessions.requestReconnect();
      if (fault === 'eventSubDrop') sessions.dropAll();
      if (fault === 'eventSubHalfOpen') sessions.silenceAll();
      if (fault === 'eventSubDropShard') sessions.drop(conduits.anySession());
      // Twitch does this when all shards of a conduit have been disabled for three days.
      if (fault === 'eventSubDeleteConduits') for (const { id } of conduits.all()) deleteConduit(id);
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

type Send = (one: EventSubscription, ...rest: RestOfSend) => void;
type RestOfSend =
  Parameters<EventSubSessions['send']> extends [unknown, unknown, ...infer Rest] ? Rest : never;

const sendOver =
  ({ sessions, conduits }: Carriers): Send =>
  (one, ...rest) => {
    const { transport, type, topic } = one;
    const isDirect = transport.method === 'websocket';
    const sessionId = isDirect ? transport.sessionId : conduits.targetOf(transport.conduitId);
    if (sessionId) sessions.send(sessionId, { type, version: topic.version }, ...rest);
  };

function revoke(one: EventSubscription, status: string, subscriptions: EventSubRegistry, send: Send): void {
  const ended = { ...one, status };
  subscriptions.end(ended);
  send(ended, 'revocation', { subscription: subscriptionData(ended) });
}

function deliver(
  world: TwitchWorld,
  happened: WorldEvent,
  carriers: Carriers,
  subscriptions: EventSubRegistry,
): void {
  const send = sendOver(carriers);
  const { late } = carriers;
  const channelId = channelOf(happened);
  const concerned = channelId === null ? subscriptions.all() : subscriptions.onChannel(channelId);
  for (const one of [...concerned]) {
    const status = revocationOf(world, one, happened);
    if (status) {
      revoke(one, status, subscriptions, send);
      continue;
    }
    const usual = one.topic.eventOf(world, happened, one.condition);
    const event = usual && replayOf(world).answer(one.type, usual);
    if (!event || world.faults.takeLostEvent()) continue;
    const copies = world.faults.takeDuplicateEvent() ? 2 : 1;
    const sentAtMs = Date.now();
    const deliverNow = () =>
      send(one, 'notification', { subscription: subscriptionData(one), event }, { copies, sentAtMs });
    const notify = happened.type === 'said' ? () => world.faults.passLine(deliverNow) : deliverNow;
    if (world.faults.takeLateEvent()) {
      late.push(notify);
      continue;
    }
    notify();
    for (const overtaken of late.splice(0)) overtaken();
  }
}

/**
 * Returns the channel on which something happened; null if it is about a person, wherever they are subscribed
 * to.
 */
function channelOf(happened: WorldEvent): string | null {
  if ('broadcasterId' in happened) return happened.broadcasterId;
  if ('stream' in happened) return happened.stream.broadcasterId;
  if ('follow' in happened) return happened.follow.broadcasterId;
  if ('subscription' in happened) return happened.subscription.broadcasterId;
  if ('redemption' in happened) return happened.redemption.broadcasterId;
  return 'line' in happened ? happened.line.broadcasterId : null;
}

/** Ends a banned account's subscriptions to a chat, with the status in the EventSub reference. */
function revokeBanned(
  world: TwitchWorld,
  broadcasterId: string,
  carriers: Carriers,
  subscriptions: EventSubRegistry,
): void {
  for (const one of [...subscriptions.onChannel(broadcasterId)]) {
    const readerId = one.condition.user_id;
    if (readerId && !isBroadcasterOrModerator(world, broadcasterId, readerId))
      revoke(one, 'chat_user_banned', subscriptions, sendOver(carriers));
  }
}

/** The status with which an event of the world ends a subscription, or null. */
function revocationOf(world: TwitchWorld, one: EventSubscription, happened: WorldEvent): string | null {
  const { userId, topic, condition } = one;
  if (happened.type === 'authorizationRevoked') {
    if (dependsOn(one, happened.userId)) return 'authorization_revoked';
    const isAllowed = userId !== null || (topic.allowsApplication?.(world, condition) ?? true);
    return isAllowed ? null : 'authorization_revoked';
  }
  if (happened.type === 'moderatorsChanged' && userId === null)
    return (topic.allowsApplication?.(world, condition) ?? true) ? null : 'moderator_removed';
  if (happened.type !== 'suspended') return null;
  return Object.values(condition).includes(happened.userId) ? 'user_removed' : null;
}

/**
 * Returns whether revoking consent ends a subscription: a user's own always, an application's only if the
 * topic needs consent.
 */
function dependsOn({ userId, topic, condition }: EventSubscription, revokedBy: string): boolean {
  if (userId !== null) return userId === revokedBy;
  return topic.authorizedBy !== null && condition[topic.authorizedBy] === revokedBy;
}

function subscribe(call: HelixCall, carriers: Carriers, subscriptions: EventSubRegistry): EventSubscription {
  const { world, body, token } = call;
  const { userId } = token;
  const type = typeof body.type === 'string' ? body.type : '';
  const topic = topics[type];
  if (!topic || topic.version !== body.version)
    throw new Refusal(400, 'invalid subscription type and version');
  const condition = readCondition(topic, body.condition);
  requireAuthorization(world, topic, condition, token);
  const transport = readTransport(call, carriers);
  if (transport.method === 'websocket' && countOn(transport, subscriptions) >= limits.subscriptionsPerSocket)
    throw new Refusal(429, 'number of subscriptions on the websocket exceeded');
  const isStrict = world.faults.lingering !== null;
  if (subscriptions.hasSame({ userId, type, condition, transport }, isStrict))
    throw new Refusal(409, 'subscription already exists');
  const cost = costOf(world, condition, token.clientId);
  const maxCost = userId === null ? limits.totalCostOfApplication : limits.totalCost;
  if (cost + subscriptions.countOf(userId).cost > maxCost)
    throw new Refusal(429, 'maximum total cost exceeded');
  if (transport.method === 'websocket') carriers.sessions.take(transport.sessionId, userId);
  const status = 'enabled';
  return {
    id: randomUUID(),
    status,
    type,
    topic,
    condition,
    userId,
    transport,
    createdAtMs: Date.now(),
    cost,
  };
}

const countOn = ({ sessionId }: { sessionId: string }, subscriptions: EventSubRegistry): number =>
  subscriptions
    .all()
    .filter(({ transport }) => transport.method === 'websocket' && transport.sessionId === sessionId).length;

/**
 * Nothing for a person who has authorized the application, one otherwise (twitch4j.github.io/eventsub,
 * "Subscription Basics"): a chat account's grant makes the chats that it reads free.
 */
const costOf = (world: TwitchWorld, condition: Condition, clientId: string): number =>
  [condition.broadcaster_user_id, condition.user_id].some(
    (userId) => userId !== undefined && world.tokens.grantedScopes(userId, clientId) !== null,
  )
    ? 0
    : 1;

/** A user's token requires a socket, the application's a conduit. */
function readTransport({ body, token }: HelixCall, { sessions, conduits }: Carriers): Transport {
  const given = (body.transport ?? {}) as { method?: unknown; session_id?: unknown; conduit_id?: unknown };
  if (token.userId === null && given.method === 'conduit')
    return { method: 'conduit', conduitId: conduits.require(given.conduit_id, token.clientId).id };
  if (token.userId === null || given.method !== 'websocket')
    throw new Refusal(400, 'invalid transport and auth combination');
  const session = requireSession(sessions, given.session_id, token.userId);
  return { method: 'websocket', sessionId: session.id, connectedAtMs: session.connectedAtMs };
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
  token: HelixCall['token'],
): void {
  if (!world.userById(condition.broadcaster_user_id ?? ''))
    throw new Refusal(400, 'invalid broadcaster_user_id');
  const refuse = () => new Refusal(403, 'subscription missing proper authorization');
  const asUser = topic.authorizedBy ? (condition[topic.authorizedBy] ?? '') : null;
  if (token.userId === null) {
    // The application needs the user's grant, even if its token has expired.
    const granted = asUser === null ? [] : (world.tokens.grantedScopes(asUser, token.clientId) ?? []);
    if (asUser !== null && !topic.scopes.some((scope) => granted.includes(scope))) throw refuse();
    if (!(topic.allowsApplication?.(world, condition) ?? true)) throw refuse();
  } else {
    if (topic.scopes.length > 0 && !hasScope(token, topic.scopes)) throw refuse();
    if (asUser !== null && asUser !== token.userId) throw refuse();
  }
  const mustModerate = topic.authorizedBy === 'moderator_user_id';
  if (mustModerate && !isBroadcasterOrModerator(world, condition.broadcaster_user_id ?? '', asUser ?? ''))
    throw refuse();
}

function requireSession(sessions: EventSubSessions, id: unknown, userId: string): EventSubSession {
  const session = sessions.find(String(id));
  if (!session || session.silent)
    throw new Refusal(400, 'session does not exist or has already disconnected');
  if (session.userId !== null && session.userId !== userId)
    throw new Refusal(400, 'websocket transport cannot have subscriptions created by different users');
  if (session.userId === null && sessions.countOf(userId) >= limits.socketsPerUser)
    throw new Refusal(429, 'number of websocket transports limit exceeded');
  return session;
}

function listSubscriptions(call: HelixCall, subscriptions: EventSubRegistry) {
  const { query, token } = call;
  const mine = [...subscriptions.of(token.userId), ...subscriptions.endedOf(token.userId)];
  const [type, status, userId] = [query.get('type'), query.get('status'), query.get('user_id')];
  const wanted = mine
    .filter((one) => !type || one.type === type)
    .filter((one) => !status || one.status === status)
    .filter((one) => !userId || Object.values(one.condition).includes(userId));
  const { data, pagination } = page(wanted, query, { default: 100, max: 100 });
  return { data: data.map(subscriptionData), ...totals(subscriptions, token.userId), pagination };
}

function totals(subscriptions: EventSubRegistry, userId: string | null) {
  const { total, cost } = subscriptions.countOf(userId);
  return {
    total,
    total_cost: cost,
    max_total_cost: userId === null ? limits.totalCostOfApplication : limits.totalCost,
  };
}

function subscriptionData(one: EventSubscription) {
  return {
    id: one.id,
    status: one.status,
    type: one.type,
    version: one.topic.version,
    condition: one.condition,
    created_at: isoTime(one.createdAtMs),
    transport: transportData(one.transport),
    cost: one.cost,
  };
}

function transportData(transport: Transport) {
  if (transport.method === 'conduit') return { method: 'conduit', conduit_id: transport.conduitId };
  const { sessionId, connectedAtMs } = transport;
  return { method: 'websocket', session_id: sessionId, connected_at: isoTime(connectedAtMs) };
}
