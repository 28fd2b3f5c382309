import type { ApiClient } from '@twurple/api';
import { getRawData } from '@twurple/common';
import { z } from 'zod';
import { call, type TwitchApi } from '#bot/twitch/api.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { makeSubscription } from '#bot/twitch/events/taken-subscription.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';

/** A conduit's subscription as Twitch lists it. */
export interface ListedSubscription {
  id: string;
  type: string;
  channelId: string;
  /** The chat account that reads it, for topics of chat accounts. */
  readerId?: string;
  /** `enabled`, or the reason why Twitch ended it. */
  status: string;
}

export interface ListedConduit {
  id: string;
  shards: number;
}

/** The EventSub calls that the carriers need. A failed call throws a `TwitchFault`. */
export type EventApi = ReturnType<typeof eventApi>;

const conduitAnswer = z.object({ data: z.tuple([z.object({ id: z.string().min(1) })], z.unknown()) });
const PAGE = 100;
/** Enough for a million subscriptions: more pages than that mean that Twitch's cursor loops. */
const MAX_PAGES = 10_000;

/** EventSub's endpoints: with the broadcaster's grant for a socket, with the application's token for a conduit. */
export const eventApi = ({ clientFor, application }: Pick<TwitchApi, 'clientFor' | 'application'>) => ({
  ...socketApi(clientFor),
  ...conduitApi(application),
  ...shardApi(application),
});

const socketApi = (clientFor: TwitchApi['clientFor']) => ({
  /** Returns the subscription's id. `isLost`: whether a session was this process's and is lost. */
  async subscribeSocket(
    channelId: string,
    topic: Topic,
    { sessionId, isLost }: { sessionId: string; isLost(sessionId: string): boolean },
  ): Promise<string> {
    const client = clientFor(channelId);
    const transport = { method: 'websocket', session_id: sessionId } as const;
    const scopes = topic.scope ? [topic.scope] : undefined;
    const condition = topic.condition(channelId);
    return makeSubscription({
      topic,
      channelId,
      create: () =>
        client.eventSub.createSubscription(
          topic.type,
          topic.version,
          condition,
          transport,
          channelId,
          scopes,
        ),
      list: () => client.callApi({ ...subscriptionsOn(channelId), userId: channelId }),
      end: (id) => endOwn(client, channelId, id),
      isHere: (id) => id === sessionId,
      isLost,
    });
  },
  async unsubscribeSocket(channelId: string, id: string): Promise<void> {
    await call(endOwn(clientFor(channelId), channelId, id));
  },
});

const subscriptionsOn = (channelId: string) =>
  ({ type: 'helix', url: 'eventsub/subscriptions', query: { user_id: channelId } }) as const;

const endOwn = (client: ApiClient, channelId: string, id: string): Promise<void> =>
  client.asUser(channelId, ({ eventSub }) => eventSub.deleteSubscription(id));

const conduitApi = (application: ApiClient) => ({
  /** Returns the subscription's id. */
  async subscribeConduit(channelId: string, topic: Topic, conduitId: string): Promise<string> {
    const { eventSub } = application;
    const transport = { method: 'conduit', conduit_id: conduitId } as const;
    return makeSubscription({
      topic,
      channelId,
      create: () =>
        eventSub.createSubscription(topic.type, topic.version, topic.condition(channelId), transport),
      list: () => application.callApi({ ...subscriptionsOn(channelId), forceType: 'app' }),
      end: (id) => eventSub.deleteSubscription(id),
      isHere: (id) => id === conduitId,
      isLost: () => false,
    });
  },
  async unsubscribeConduit(id: string): Promise<void> {
    await call(application.eventSub.deleteSubscription(id));
  },
  /** All subscriptions of the conduit. */
  async listOfConduit(conduitId: string): Promise<ListedSubscription[]> {
    const listed: ListedSubscription[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await call(
        application.eventSub.getSubscriptions({ limit: PAGE, ...(cursor && { after: cursor }) }),
      );
      for (const one of answer.data) {
        const { transport, condition } = getRawData(one);
        if (transport.method !== 'conduit' || transport.conduit_id !== conduitId) continue;
        const channelId = String(condition.broadcaster_user_id ?? '');
        const readerId = condition.user_id ? { readerId: String(condition.user_id) } : {};
        listed.push({
          id: one.id,
          type: one.type,
          channelId,
          ...readerId,
          status: one.status,
        });
      }
      if (!answer.cursor || answer.cursor === cursor) break;
      cursor = answer.cursor;
    }
    return listed;
  },
});

function shardApi(application: ApiClient) {
  const { eventSub } = application;
  // Twurple sends the number of shards in the query, but Twitch documents it in the body.
  const changeConduit = async (method: 'POST' | 'PATCH', jsonBody: Record<string, unknown>) => {
    const asked = { type: 'helix', url: 'eventsub/conduits', method, jsonBody, forceType: 'app' } as const;
    const answer = conduitAnswer.safeParse(await call(application.callApi(asked)));
    if (!answer.success) throw new TwitchFault('unavailable', 'the answer names no conduit');
    return answer.data.data[0].id;
  };
  return {
    /** Our application's conduits. */
    async listConduits(): Promise<ListedConduit[]> {
      return (await call(eventSub.getConduits())).map(({ id, shardCount }) => ({ id, shards: shardCount }));
    },
    async createConduit(shards: number): Promise<string> {
      return changeConduit('POST', { shard_count: shards });
    },
    async resizeConduit(id: string, shards: number): Promise<void> {
      await changeConduit('PATCH', { id, shard_count: shards });
    },
    /**
     * Assigns sessions to shards. Returns the shards that Twitch accepted: it reports success even for a part of them.
     */
    async moveShards(conduitId: string, sessions: ReadonlyMap<string, string>): Promise<string[]> {
      const shards = [...sessions].map(([id, sessionId]) => ({
        id,
        transport: { method: 'websocket' as const, session_id: sessionId },
      }));
      const taken = await call(eventSub.updateConduitShards(conduitId, shards));
      return taken.filter(({ status }) => status === 'enabled').map(({ id }) => id);
    },
    /** The session of each enabled shard, according to Twitch. */
    async sessionsOfShards(conduitId: string): Promise<Map<string, string>> {
      const { data } = await call(eventSub.getConduitShards(conduitId, 'enabled'));
      return new Map(
        data.map((shard) => {
          const { transport } = getRawData(shard);
          return [shard.id, transport.method === 'websocket' ? transport.session_id : ''];
        }),
      );
    },
  };
}
