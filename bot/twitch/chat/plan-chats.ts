import { createHash } from 'node:crypto';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { chatTopicOf } from '#bot/twitch/chat/chat-topic.ts';
import type { EventRoom } from '#bot/twitch/chat/event-chat.ts';
import { type ChatSlot, shareChannels } from '#bot/twitch/chat/share-channels.ts';
import type { SubscriptionState } from '#bot/twitch/events/event-carrier.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The facts about a chat account that the plan needs. */
export interface ChatAccountState extends ChatSlot {
  /** The account's id while it can read chats by events; null if it cannot. */
  readerId: string | null;
  /** Returns whether it is in a chat over IRC. */
  isIn(channelLogin: string): boolean;
}

type Refusal = ChatFault | 'unexplained';

export type ChatCarrier = 'irc' | 'events';

/** The account of each chat, and its carrier. */
export interface ChatPlan {
  carrier: ChatCarrier;
  /** The account's login by the channel's id, over IRC. */
  irc: ReadonlyMap<string, string>;
  /** By the channel's id. */
  byEvents: ReadonlyMap<string, EventRoom & { account: string; topic: Topic }>;
  /**
   * Chats that no account is in, with the reason if Twitch gave one. `unexplained`: it refuses though the
   * streamer has done everything necessary, or for a reason that is not the streamer's.
   */
  leftOut: ReadonlyMap<string, Refusal | null>;
  /** Time since when we know for each that the broadcaster allows it or an account moderates. Steady time. */
  permittedSinceMs: ReadonlyMap<string, number>;
  /** True while some chats are still moving from one carrier to the other. */
  isChanging: boolean;
}

export const noPlan: ChatPlan = {
  carrier: 'irc',
  irc: new Map(),
  byEvents: new Map(),
  leftOut: new Map(),
  permittedSinceMs: new Map(),
  isChanging: false,
};

/** IRC takes the chats back only when they fill four fifths of its room, so that one channel does not move them all. */
const RETURN_TO_IRC_SHARE = 0.8;
/**
 * Each refusal doubles the time until Twitch is asked again, unless meanwhile the broadcaster allows it or we
 * moderate. The first may be a passing trouble of Twitch's. Steady time.
 */
const ASK_AGAIN_MS = { first: 5 * minute, last: 12 * hour } as const;

interface PlanOptions {
  /** Returns the state of a chat's subscription. */
  stateOf(channelId: string, topic: Topic): SubscriptionState;
  /** Number of chats that an account can be in over IRC. */
  maxChats: number;
  /** Steady time. */
  nowMs?: number;
}

/**
 * Decides, alone, who carries the chats. IRC does while its accounts have room for all, since no broadcaster
 * has to allow anything for it. Beyond that, and only with an account that may, events carry every chat whose
 * broadcaster lets them, and IRC the others as far as it has room. A chat leaves its carrier once the other
 * one has it: in between both bring its lines, and duplicates are dropped by the messages' ids.
 */
export function planChats(
  rooms: readonly ChatRoom[],
  accounts: readonly ChatAccountState[],
  before: ChatPlan,
  { stateOf, maxChats, nowMs = steadyMs() }: PlanOptions,
): ChatPlan {
  const readers = accounts.flatMap((account) =>
    account.readerId === null ? [] : [{ account, topic: chatTopicOf(account.readerId) }],
  );
  const ids = rooms.map(({ channelId }) => channelId);
  const carrier = readers.length === 0 ? 'irc' : chatCarrierFor(ids, accounts, before.carrier, maxChats);
  const byEvents = new Map<string, EventRoom & { account: string; topic: Topic }>();
  const refused = new Map<string, Refusal>();
  const isPermitted = ({ allowsBot, channelId }: ChatRoom) =>
    allowsBot || readers.some(({ account }) => account.isModerator(channelId));
  const permittedSinceMs = new Map(
    rooms
      .filter(isPermitted)
      .map(({ channelId }) => [channelId, before.permittedSinceMs.get(channelId) ?? nowMs]),
  );
  for (const room of rooms) {
    const { channelId, login } = room;
    const held = before.byEvents.get(channelId);
    if (carrier === 'irc' && (!held || accounts.some((account) => account.isIn(login)))) continue;
    const found = readerFor(room, readers, stateOf, { nowMs, permittedSinceMs });
    if (found.fault) refused.set(channelId, found.fault);
    const { reader } = found;
    if (!reader || (carrier === 'irc' && !found.isMade)) continue;
    byEvents.set(channelId, {
      ...room,
      isMade: found.isMade,
      account: reader.account.login,
      topic: reader.topic,
    });
  }
  const isCarried = ({ channelId }: ChatRoom) =>
    carrier === 'events' && byEvents.get(channelId)?.isMade === true;
  const forIrc = rooms.filter((room) => !isCarried(room)).map(({ channelId }) => channelId);
  const irc = shareChannels(forIrc, accounts, before.irc, maxChats);
  const leftOut = new Map(
    rooms
      .filter((room) => !isCarried(room) && !irc.has(room.channelId))
      .map(({ channelId }) => [channelId, refused.get(channelId) ?? null]),
  );
  const isChanging =
    carrier === 'irc'
      ? byEvents.size > 0
      : [...byEvents].some(([channelId, { isMade }]) => !isMade && !refused.has(channelId));
  return { carrier, irc, byEvents, leftOut, permittedSinceMs, isChanging };
}

/**
 * Makes the plan while it is unknown which accounts read by events: their chats stay, and the others are
 * shared among the accounts over IRC.
 */
export function holdPlan(
  rooms: readonly ChatRoom[],
  accounts: readonly ChatAccountState[],
  before: ChatPlan,
  maxChats: number,
): ChatPlan {
  const byEvents = new Map(
    rooms.flatMap((room) => {
      const held = before.byEvents.get(room.channelId);
      return held ? [[room.channelId, { ...held, ...room }] as const] : [];
    }),
  );
  const forIrc = rooms.map(({ channelId }) => channelId).filter((id) => !byEvents.get(id)?.isMade);
  const irc = shareChannels(forIrc, accounts, before.irc, maxChats);
  return { ...before, byEvents, irc, isChanging: false };
}

/** Returns the carrier for these channels, given the current one. */
export function chatCarrierFor(
  channelIds: readonly string[],
  slots: readonly ChatSlot[],
  now: ChatCarrier,
  maxChats: number,
): ChatCarrier {
  const room = now === 'irc' ? maxChats : maxChats * RETURN_TO_IRC_SHARE;
  const fitting = shareChannels(channelIds, slots, new Map(), room);
  return fitting.size < channelIds.length ? 'events' : 'irc';
}

interface Reader {
  account: ChatAccountState;
  topic: Topic;
}

/**
 * Chooses the account that reads a chat: the one that does, otherwise one that moderates it, otherwise always
 * the same one, so that a restart finds its subscriptions. An account that Twitch refused comes after the
 * others, and is tried rarely.
 */
function readerFor(
  { channelId }: ChatRoom,
  readers: readonly Reader[],
  stateOf: (channelId: string, topic: Topic) => SubscriptionState,
  { nowMs, permittedSinceMs }: { nowMs: number; permittedSinceMs: ReadonlyMap<string, number> },
): { reader: Reader | null; isMade: boolean; fault: Refusal | null } {
  const known = readers.map((reader) => ({ reader, state: stateOf(channelId, reader.topic) }));
  const made = known.find(({ state }) => state.is === 'made');
  if (made) return { reader: made.reader, isMade: true, fault: null };
  const permittedAtMs = permittedSinceMs.get(channelId);
  const mayAsk = ({ state }: (typeof known)[number]) =>
    !('atMs' in state) ||
    (state.is === 'refused' && (permittedAtMs ?? 0) > state.atMs) ||
    nowMs - state.atMs >= Math.min(ASK_AGAIN_MS.last, ASK_AGAIN_MS.first * 2 ** (state.times - 1));
  const rankOf = ({ reader, state }: (typeof known)[number]) =>
    `${state.is === 'missing' ? 0 : 1}${reader.account.isModerator(channelId) ? 0 : 1}${placeOf(channelId, reader.account.login)}`;
  const [first] = known
    .filter(mayAsk)
    .map((each) => ({ ...each, rank: rankOf(each) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const refusals = known.filter(({ state }) => state.is !== 'missing');
  const isBanned = refusals.some(({ state }) => state.is === 'banned');
  const isNotAllowed = permittedAtMs === undefined && refusals.every(({ state }) => state.is === 'refused');
  const reason = isBanned ? 'banned' : isNotAllowed ? 'notAllowed' : 'unexplained';
  const fault = refusals.length < known.length ? null : reason;
  return { reader: first?.reader ?? null, isMade: false, fault };
}

/**
 * A number that depends on nothing but the two, so that channels spread over accounts and stay with theirs.
 */
const placeOf = (channelId: string, account: string): string =>
  createHash('sha1').update(`${channelId} ${account}`).digest('hex');
