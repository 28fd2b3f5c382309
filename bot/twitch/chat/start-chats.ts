import type { PartReport } from '#bot/deps.ts';
import { endAll } from '#bot/end-all.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { noticeTopicOf } from '#bot/twitch/chat/chat-topic.ts';
import { firstTimes } from '#bot/twitch/chat/chat-voice.ts';
import { type ChatPlan, holdPlan, noPlan, planChats } from '#bot/twitch/chat/plan-chats.ts';
import { sharedChatShares } from '#bot/twitch/chat/shared-chats.ts';
import { type ChatOptions, startChat } from '#bot/twitch/chat/start-chat.ts';
import type { SubscriptionState, WantedSubscription } from '#bot/twitch/events/event-carrier.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The chats of all channels, across all chat accounts. */
export interface Chats {
  /**
   * Sets the channels to be in, the most important first. `stateOf` returns the state of a chat's
   * subscription.
   */
  setChannels(
    rooms: readonly ChatRoom[],
    stateOf: (channelId: string, topic: Topic) => SubscriptionState,
  ): void;
  /** Returns the chats to subscribe to; null while unknown, so that existing subscriptions stay. */
  wantedTopics(): WantedSubscription | null;
  /** While chats change their carrier, `setChannels` must be called every few seconds. */
  changesCarrier(): boolean;
  /** Takes a chat line that came as an event. */
  receive(channelId: string, event: unknown, sentAtMs: number): void;
  /** Asks Twitch whether the accounts' tokens are still valid. */
  check(): Promise<void>;
  /** Like `check` without waiting, and once for many calls in a minute. */
  checkSoon(): void;
  report(): PartReport;
  /** Begins a stop: nothing more is announced, and answers are still said until `stop`. */
  settle(): void;
  stop(): Promise<void>;
}

export const noChats: Chats = {
  setChannels: () => {},
  wantedTopics: () => new Map(),
  changesCarrier: () => false,
  receive: () => {},
  check: async () => {},
  checkSoon: () => {},
  report: () => ({ state: 'off', detail: 'TWITCH_BOT_LOGIN is not set' }),
  settle: () => {},
  stop: async () => {},
};

type Options = Omit<ChatOptions, 'login' | 'isFirst' | 'shares'> & { logins: readonly string[] };

/** IRC's chats are waited for at most this long after the start: a hundred take a minute. Steady time. */
const JOINED_WITHIN_MS = 3 * minute;

/** Starts every chat account and distributes the channels among them. */
export const startChats = (deps: LeasedDeps, options: Options): Chats => new RunningChats(deps, options);

class RunningChats implements Chats {
  readonly #deps: LeasedDeps;
  readonly #options: Omit<Options, 'logins'>;
  readonly #chats: readonly ReturnType<typeof startChat>[];
  /**
   * The ids of the channels that each account moderates. They outlast lost connections and renames; otherwise
   * channels would be left and joined again.
   */
  readonly #moderated: ReadonlyMap<string, Set<string>>;
  readonly #startedAtMs = steadyMs();
  #plan: ChatPlan = noPlan;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #hasJoined = false;
  /** The accounts that could read by events when the chats were last planned. */
  #plannedReaders = '';

  constructor(deps: LeasedDeps, { logins, ...options }: Options) {
    const given = { ...options, isFirst: firstTimes(), shares: sharedChatShares() };
    this.#deps = deps;
    this.#options = options;
    this.#chats = logins.map((login) => startChat(deps, { ...given, login }));
    this.#moderated = new Map(logins.map((login) => [login, new Set<string>()]));
  }

  setChannels(
    rooms: readonly ChatRoom[],
    stateOf: (channelId: string, topic: Topic) => SubscriptionState,
  ): void {
    this.#updateModerated(rooms);
    const before = this.#plan;
    this.#makePlan(rooms, stateOf);
    const { irc, byEvents, carrier: chosen } = this.#plan;
    if (chosen !== before.carrier)
      this.#deps.log.info({ channels: rooms.length, to: chosen }, 'switching the chat carrier');
    for (const chat of this.#chats)
      chat.setRooms(
        rooms.filter(({ channelId }) => irc.get(channelId) === chat.login),
        [...byEvents.values()].filter(({ account }) => account === chat.login),
      );
    const wasMade = (channelId: string) => before.byEvents.get(channelId)?.isMade === true;
    for (const { channelId, fault } of rooms)
      if (fault && byEvents.get(channelId)?.isMade && !wasMade(channelId))
        this.#readerOf(channelId)?.recordJoin(channelId);
    if (this.#isKnown()) this.#recordFaults(rooms);
  }

  #makePlan(
    rooms: readonly ChatRoom[],
    stateOf: (channelId: string, topic: Topic) => SubscriptionState,
  ): void {
    const accounts = this.#chats.map((chat) => ({
      login: chat.login,
      readerId: chat.readerId(),
      isIn: (channel: string) => chat.isIn(channel),
      isModerator: (channelId: string) => this.#moderated.get(chat.login)?.has(channelId) ?? false,
    }));
    const { maxChats } = this.#options.pace;
    if (!this.#isKnown()) {
      this.#plan = holdPlan(rooms, accounts, this.#plan, maxChats);
      return;
    }
    this.#plan = planChats(rooms, accounts, this.#plan, { stateOf, maxChats });
    this.#plannedReaders = this.#readers();
  }

  #isKnown(): boolean {
    return this.#chats.every((chat) => chat.isKnown());
  }

  #readers(): string {
    return this.#chats.map((chat) => chat.readerId() ?? '').join(' ');
  }

  #updateModerated(rooms: readonly ChatRoom[]): void {
    const accounts = new Map(this.#chats.map((chat) => [chat.login, chat]));
    for (const { channelId, login } of rooms) {
      const account = this.#plan.irc.get(channelId) ?? this.#plan.byEvents.get(channelId)?.account ?? '';
      const is = accounts.get(account)?.isModerator(login) ?? null;
      if (is === true) this.#moderated.get(account)?.add(channelId);
      if (is === false) this.#moderated.get(account)?.delete(channelId);
    }
  }

  /**
   * Returns whether streamers may be notified: only once every chat that the accounts can join is joined, or
   * had enough time to be.
   */
  #mayBlame(): boolean {
    const hasWaited = steadyMs() - this.#startedAtMs >= JOINED_WITHIN_MS;
    if (hasWaited || this.#chats.every((chat) => chat.isInAll())) this.#hasJoined = true;
    return this.#hasJoined;
  }

  #recordFaults(rooms: readonly ChatRoom[]): void {
    const { leftOut } = this.#plan;
    const mayBlame = this.#mayBlame();
    for (const { channelId, fault: known = null } of rooms) {
      const reason = leftOut.get(channelId) ?? null;
      const fault = reason === 'unexplained' ? null : reason;
      const isOver = reason === 'unexplained' || !leftOut.has(channelId);
      const isChange = isOver ? known === 'notAllowed' : fault !== null && known !== fault;
      if (isChange && (fault !== 'notAllowed' || mayBlame))
        this.#options.recordFault(channelId, fault).catch((error) => {
          this.#deps.log.error({ err: error, channelId }, 'could not record what is the matter with a chat');
        });
    }
  }

  wantedTopics(): WantedSubscription | null {
    if (!this.#isKnown()) return null;
    const topicsOf = (topic: Topic) =>
      topic.readerId === undefined ? [topic] : [topic, noticeTopicOf(topic.readerId)];
    return new Map([...this.#plan.byEvents].map(([channelId, { topic }]) => [channelId, topicsOf(topic)]));
  }

  changesCarrier(): boolean {
    return (
      this.#plan.isChanging ||
      this.#chats.some((chat) => chat.isStarting()) ||
      (this.#isKnown() && this.#readers() !== this.#plannedReaders)
    );
  }

  receive(channelId: string, event: unknown, sentAtMs: number): void {
    this.#readerOf(channelId)?.receive(channelId, event, sentAtMs);
  }

  #readerOf(channelId: string) {
    const account = this.#plan.byEvents.get(channelId)?.account;
    return this.#chats.find(({ login }) => login === account);
  }

  async check(): Promise<void> {
    this.#checkedAtMs = steadyMs();
    await Promise.all(this.#chats.map((chat) => chat.check()));
  }

  checkSoon(): void {
    if (steadyMs() - this.#checkedAtMs < minute) return;
    this.check().catch((error) => {
      this.#deps.log.warn({ code: twitchFaultOf(error).code }, 'could not check a chat account');
    });
  }

  report(): PartReport {
    const reports = this.#chats.map((chat) => chat.report());
    const worst = reports.find(({ state }) => state !== 'ready') ?? reports[0] ?? noChats.report();
    const details = [
      ...new Set(reports.map(({ detail }) => detail).filter((detail) => detail !== undefined)),
      ...(this.#isKnown() ? hints(this.#plan) : []),
    ];
    const detail = details.join('; ');
    return { state: worst.state, ...(detail && { detail }) };
  }

  settle(): void {
    for (const chat of this.#chats) chat.settle();
  }

  async stop(): Promise<void> {
    await endAll(
      this.#deps.log,
      this.#chats.map((chat) => chat.stop()),
    );
  }
}

/** Lists what the operator or the streamers can do for chats that no account is in. */
function hints({ carrier, leftOut }: ChatPlan): string[] {
  const reasons = [...leftOut.values()];
  const refused = reasons.filter((reason) => reason === 'notAllowed' || reason === 'banned').length;
  const unexplained = reasons.filter((reason) => reason === 'unexplained').length;
  const waiting = leftOut.size - refused - unexplained;
  return [
    ...(carrier === 'irc' && waiting > 0
      ? [`no room for ${waiting} more: connect the chat account again, add one, or make one a moderator`]
      : []),
    ...(refused > 0
      ? [`${refused} chats do not let the bot in: their streamers must allow it or make it a moderator`]
      : []),
    ...(unexplained > 0
      ? [
          `Twitch refuses ${unexplained} chats though nothing is known to be missing: connect the chat account again`,
        ]
      : []),
  ];
}
