import type { ApiClient } from '@twurple/api';
import { unlimited } from '#bot/call-in-time.ts';
import type { BotDeps } from '#bot/deps.ts';
import { subscriberTierOf } from '#bot/twitch/channel/subscriber-tier.ts';
import type { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import { NOT_ANSWERED, PacedClient } from '#bot/twitch/pace/paced-client.ts';
import type { TokenOwner } from '#bot/twitch/pace/points-left.ts';
import { TwitchFault, twitchFaultOf, withDeadline } from '#bot/twitch/twitch-fault.ts';
import { pinoForTwurple } from '#bot/twitch/twurple-log.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import { broadcasterTypeOf } from '#domain/account/twitch/twitch-grant.ts';
import type { TwitchName } from '#domain/channel/record-names.ts';
import type { Subscriber } from '#domain/channel/record-subscribers.ts';
import type { Follower } from '#domain/channel/upsert-follows.ts';
import type { TypedBroadcaster } from '#domain/rule/record-broadcaster-types.ts';
import type { LiveStream } from '#domain/watch-time/record-stream.ts';

// Twurple expects its users to declare what their `fetch` accepts.
declare module '@twurple/api-call' {
  interface TwitchApiCallFetchOptions extends Pick<RequestInit, 'signal'> {}
}

export interface Chatter {
  twitchId: string;
  login: string;
}

/** A live stream, with the channel's names of today. */
export type NamedStream = LiveStream & Omit<TwitchName, 'twitchId'>;

export interface FollowerPage {
  followers: Follower[];
  /** Null at the end of the list. An empty page may have one. */
  cursor: string | null;
  /** Total number of the channel's followers. */
  total: number;
}

/** The calls to Twitch's API that the tracker needs. A failed call throws a `TwitchFault`. */
export interface TwitchApi {
  /**
   * The live streams of these channels. `unclear`: Twitch listed the channel without a type, which its reference
   * calls an error.
   */
  streamsOf(channelIds: readonly string[]): Promise<Map<string, NamedStream | 'unclear'>>;
  /** Today's names and types of these people; those who no longer exist are missing in the answer. */
  peopleOf(twitchIds: readonly string[]): Promise<(TwitchName & TypedBroadcaster)[]>;
  /** Everyone in a channel's chat, read with the broadcaster's grant, and Twitch's number of them. */
  chattersOf(channelId: string): Promise<{ chatters: Chatter[]; total: number }>;
  /** The Twitch ids of these logins; a login that nobody has is missing in the answer. */
  idsOf(logins: readonly string[]): Promise<Map<string, string>>;
  /**
   * A page of a channel's followers from a cursor on (null: the newest), read with the broadcaster's grant. These calls
   * come after all others of the grant.
   */
  followerPage(channelId: string, cursor: string | null): Promise<FollowerPage>;
  /** Time since when a user follows a channel, or null; read with the broadcaster's grant. */
  followedAtMs(channelId: string, twitchId: string): Promise<number | null>;
  /**
   * Every subscriber of a channel, read with the broadcaster's grant, and Twitch's number of them.
   * `notAffiliate`: the channel cannot have subscribers; Twitch itself answers an empty list then
   * (twitchdev/issues 410).
   */
  subscribersOf(
    channelId: string,
    signal: AbortSignal,
  ): Promise<{ subscribers: Subscriber[]; total: number }>;
  /** The tier of a user's subscription to a channel, or null; read with the broadcaster's grant. */
  subscriberTier(channelId: string, twitchId: string): Promise<SubscriberTier | null>;
  /** Twitch's number of a channel's followers, read with the broadcaster's grant. */
  followerTotal(channelId: string): Promise<number>;
  /** Twitch's number of a channel's subscribers, or null if it cannot have any; read with the broadcaster's grant. */
  subscriberTotal(channelId: string): Promise<number | null>;
  /** A Twurple client that uses one broadcaster's grant. */
  clientFor(channelId: string): ApiClient;
  /** A Twurple client that uses the application's own token. */
  application: ApiClient;
}

/** Timeouts of one HTTP request and of one call with Twurple's own retries. System time. */
const REQUEST_DEADLINE_MS = 10_000;
const CALL_DEADLINE_MS = 30_000;
/** Twurple spreads these options into each request, so the getter gives each request its own timeout. */
const fetchOptions = {
  get signal() {
    return AbortSignal.timeout(REQUEST_DEADLINE_MS);
  },
};
/** Enough for a million users: more pages than that mean that Twitch's cursor loops. */
const MAX_PAGES = { chatters: 1000, subscribers: 10_000 } as const;
const PAGE = { users: 100, streams: 100, chatters: 1000, followers: 100, subscribers: 100 } as const;

/** Opens a client with its own bucket of points. At the lapse of `leftMs`, its calls are aborted, and none begins. */
export const openTwitchClient = (
  authProvider: DatabaseAuthProvider,
  log: BotDeps['log'],
  owner: TokenOwner,
  leftMs: () => number,
): ApiClient =>
  new PacedClient({ authProvider, logger: pinoForTwurple(log), fetchOptions }, log, owner, leftMs);

/** Tells for how long this process may make calls for a channel, or for all of them (null). */
export type CallTime = (channelId: string | null) => number;

type OnAnswer = (channelId: string, endpoint: string, status: number) => void;

/** Opens one client for the application's token, and one for each broadcaster's. */
function openClients(
  authProvider: DatabaseAuthProvider,
  log: BotDeps['log'],
  onAnswer: OnAnswer,
  leftMs: CallTime,
) {
  const clients = new Map<string, ApiClient>();
  const clientFor = (channelId: string): ApiClient => {
    const known = clients.get(channelId);
    if (known) return known;
    const client = openTwitchClient(authProvider, log, 'account', () => leftMs(channelId));
    client.onRequest(({ options, httpStatus }) => {
      if (httpStatus !== NOT_ANSWERED) onAnswer(channelId, options.url, httpStatus);
    });
    clients.set(channelId, client);
    return client;
  };
  const application = openTwitchClient(authProvider, log, 'application', () => leftMs(null));
  return { application, clientFor };
}

/**
 * Twitch's API through Twurple. Twitch limits each token separately, so each token gets a client with its own bucket
 * and a busy channel does not hold up the others. `onAnswer` is called with each answer to a call with a broadcaster's grant.
 */
export function twitchApi(
  authProvider: DatabaseAuthProvider,
  log: BotDeps['log'],
  onAnswer: OnAnswer,
  leftMs: CallTime = unlimited,
): TwitchApi {
  const { application, clientFor } = openClients(authProvider, log, onAnswer, leftMs);
  const throwFault = (channelId: string, error: unknown) =>
    throwAffiliateFault(application, channelId, error);

  return {
    clientFor,
    application,
    ...applicationCalls(application),
    async chattersOf(channelId) {
      const { chat } = clientFor(channelId);
      const { rows, total } = await readAllPages(MAX_PAGES.chatters, (after) =>
        chat.getChatters(channelId, { limit: PAGE.chatters, ...after }),
      );
      return { chatters: rows.map((row) => ({ twitchId: row.userId, login: row.userName })), total };
    },
    async followerPage(channelId, cursor) {
      const { channels } = clientFor(channelId);
      const options = { limit: PAGE.followers, ...(cursor && { after: cursor }) };
      const page = await call(channels.getChannelFollowers(channelId, undefined, options));
      const followers = page.data.map(({ userId, followDate }) => ({
        twitchId: userId,
        followedAtMs: followDate.getTime(),
      }));
      const ends = page.cursor === cursor;
      return { followers, cursor: ends ? null : (page.cursor ?? null), total: page.total };
    },
    async followedAtMs(channelId, twitchId) {
      const { data } = await call(clientFor(channelId).channels.getChannelFollowers(channelId, twitchId));
      return data.find((row) => row.userId === twitchId)?.followDate.getTime() ?? null;
    },
    async subscribersOf(channelId, signal) {
      const { subscriptions } = clientFor(channelId);
      const { rows, total } = await readAllPages(MAX_PAGES.subscribers, (after) => {
        signal.throwIfAborted();
        return subscriptions.getSubscriptions(channelId, { limit: PAGE.subscribers, ...after });
      }).catch((error) => throwFault(channelId, error));
      if (rows.length === 0 && (await isPlain(application, channelId)))
        throw new TwitchFault('notAffiliate', 'the channel cannot have subscribers');
      const subscribers = rows.map((row) => ({ twitchId: row.userId, tier: subscriberTierOf(row.tier) }));
      return { subscribers, total };
    },
    async subscriberTier(channelId, twitchId) {
      const { subscriptions } = clientFor(channelId);
      const found = await call(subscriptions.getSubscriptionForUser(channelId, twitchId)).catch((error) =>
        throwFault(channelId, error),
      );
      return found && found.userId === twitchId ? subscriberTierOf(found.tier) : null;
    },
    followerTotal: (channelId) => call(clientFor(channelId).channels.getChannelFollowerCount(channelId)),
    subscriberTotal: (channelId) => subscriberTotalOf(application, clientFor(channelId), channelId),
  };
}

/** Twitch's number of subscribers; null for a channel that is neither affiliate nor partner. */
async function subscriberTotalOf(
  application: ApiClient,
  { subscriptions }: ApiClient,
  channelId: string,
): Promise<number | null> {
  const page = await call(subscriptions.getSubscriptions(channelId, { limit: 1 })).catch(async (error) => {
    if (twitchFaultOf(error).code === 'accessRefused' && (await isPlain(application, channelId))) return null;
    throw error;
  });
  if (page?.total === 0 && (await isPlain(application, channelId))) return null;
  return page?.total ?? null;
}

/** The calls that need no broadcaster's grant. */
function applicationCalls(application: ApiClient): Pick<TwitchApi, 'streamsOf' | 'peopleOf' | 'idsOf'> {
  return {
    async streamsOf(channelIds) {
      const live = new Map<string, NamedStream | 'unclear'>();
      for (let from = 0; from < channelIds.length; from += PAGE.streams) {
        const userId = channelIds.slice(from, from + PAGE.streams);
        const { data } = await call(application.streams.getStreams({ userId, limit: PAGE.streams }));
        for (const stream of data)
          if (stream.type === '') live.set(stream.userId, 'unclear');
          else if (stream.type === 'live')
            live.set(stream.userId, {
              streamId: stream.id,
              startedAtMs: stream.startDate.getTime(),
              gameName: stream.gameName,
              title: stream.title,
              viewers: stream.viewers,
              login: stream.userName,
              displayName: stream.userDisplayName,
            });
      }
      return live;
    },
    async peopleOf(twitchIds) {
      const people: (TwitchName & TypedBroadcaster)[] = [];
      for (let from = 0; from < twitchIds.length; from += PAGE.users) {
        const users = await call(application.users.getUsersByIds(twitchIds.slice(from, from + PAGE.users)));
        for (const { id, name, displayName, broadcasterType } of users)
          people.push({
            twitchId: id,
            login: name,
            displayName,
            broadcasterType: broadcasterTypeOf(broadcasterType),
          });
      }
      return people;
    },
    async idsOf(logins) {
      const ids = new Map<string, string>();
      for (let from = 0; from < logins.length; from += PAGE.users) {
        const users = await call(application.users.getUsersByNames(logins.slice(from, from + PAGE.users)));
        for (const { id, name } of users) ids.set(name, id);
      }
      return ids;
    },
  };
}

/** Twitch refuses access in the same way when a permission is missing and when the channel is not an affiliate. */
export async function throwAffiliateFault(
  application: ApiClient,
  channelId: string,
  error: unknown,
): Promise<never> {
  const fault = twitchFaultOf(error);
  if (fault.code !== 'accessRefused') throw fault;
  if (!(await isPlain(application, channelId))) throw fault;
  throw new TwitchFault('notAffiliate', fault.message, error);
}

/** Returns whether the channel is neither affiliate nor partner. */
async function isPlain(application: ApiClient, channelId: string): Promise<boolean> {
  const broadcaster = await call(application.users.getUserById(channelId));
  return broadcaster?.broadcasterType === '';
}

/** Runs a Twurple call with a deadline and converts what it throws into a `TwitchFault`. */
export async function call<T>(request: Promise<T>): Promise<T> {
  try {
    return await withDeadline(CALL_DEADLINE_MS, request);
  } catch (error) {
    throw twitchFaultOf(error);
  }
}

type Page<Row> = { data: Row[]; cursor?: string | undefined; total: number };

/** More empty pages in a row than this mean that the list does not go on (twitchdev/issues 924). */
export const MAX_EMPTY_PAGES = 3;

/**
 * Reads a list to its end or fails, because after a partial list the missing users would count as gone. An
 * empty page that has a cursor is not the end. Returns the smallest number that Twitch gave meanwhile, too.
 */
async function readAllPages<Row>(
  maxPages: number,
  read: (after: { after?: string }) => Promise<Page<Row>>,
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  let empty = 0;
  let total = Number.POSITIVE_INFINITY;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await call(read(cursor ? { after: cursor } : {}));
    rows.push(...answer.data);
    total = Math.min(total, answer.total);
    empty = answer.data.length === 0 ? empty + 1 : 0;
    const ends = !answer.cursor || answer.cursor === cursor || empty > MAX_EMPTY_PAGES;
    if (ends) return { rows, total };
    cursor = answer.cursor;
  }
  throw new TwitchFault('unavailable', `a list had more than ${maxPages} pages`);
}
