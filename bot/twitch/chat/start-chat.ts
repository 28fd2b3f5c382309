import type { PartReport } from '#bot/deps.ts';
import { End, endsWithin } from '#bot/end-all.ts';
import { countDown, type LeasedDeps } from '#bot/leases.ts';
import { stopTimes } from '#bot/stop-times.ts';
import { openTwitchClient } from '#bot/twitch/api.ts';
import { chatAbsences, holdChatAccount } from '#bot/twitch/chat/chat-account.ts';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { chatSender, type SendLine } from '#bot/twitch/chat/chat-sender.ts';
import {
  type ChatEnd,
  type ChatPace,
  type ChatSession,
  openChatSession,
} from '#bot/twitch/chat/chat-session.ts';
import { createVoice, type VoiceOptions } from '#bot/twitch/chat/chat-voice.ts';
import { type EventChat, type EventRoom, openEventChat } from '#bot/twitch/chat/event-chat.ts';
import { linePinner, type PinLine } from '#bot/twitch/chat/line-pinner.ts';
import { type LineWays, lineWays } from '#bot/twitch/chat/line-ways.ts';
import { type SharedChatShares, type SharedChats, sharedChats } from '#bot/twitch/chat/shared-chats.ts';
import { sharedHolds } from '#bot/twitch/chat/shared-holds.ts';
import { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, startWorker, type Worker } from '#bot/worker.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';
import { canReadChatByEvents } from '#domain/identity/twitch/twitch-scopes.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

export interface ChatOptions extends VoiceOptions {
  login: string;
  clientId: string;
  oauth: TwitchOAuth;
  shares: SharedChatShares;
  pace: ChatPace & {
    /** The shortest time between two checks of the database for the account, its tokens and announcements. */
    checkMs: number;
    /** Number of chats that an account can be in over IRC, besides those that it moderates. */
    maxChats: number;
    /** The first pause after a lost connection; later ones are longer. */
    retryMs: number;
  };
}

type Held = { twitchId: string; grant: TwitchGrant };
/** A stop that has begun: how long it waits for what was taken to be said, and its end. */
type Settling = { leftMs(): number; ended: Promise<void> };

const MAX_PAUSE_MS = 30 * second;
/** A renewal of the account's lease that failed is tried again after this. */
const RENEW_CHECK_MS = second;

export const startChat = (deps: LeasedDeps, options: ChatOptions): RunningChat =>
  new RunningChat(deps, options);

/**
 * Runs one chat account while it has a valid grant and no other process holds its lease: its connection to IRC, and the
 * chats that it reads by events. Both start with the current tokens, and again when they change.
 */
class RunningChat {
  readonly login: string;
  readonly #deps: LeasedDeps;
  readonly #pace: ChatOptions['pace'];
  readonly #account: ReturnType<typeof holdChatAccount>;
  readonly #provider: DatabaseAuthProvider;
  readonly #application: ReturnType<typeof openTwitchClient>;
  #pinLine: PinLine | null = null;
  readonly #shared: SharedChats;
  readonly #voice: ReturnType<typeof createVoice>;
  readonly #holds: ReturnType<typeof sharedHolds>;
  readonly #pauses = createPauses();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #running: Promise<void>;
  #workers: readonly Worker[] = [];
  /** The ways that the grant in use allows. */
  #ways: LineWays;
  #session: ChatSession | null = null;
  #byEvents: { twitchId: string; chat: EventChat } | null = null;
  #wanted: { irc: readonly ChatRoom[]; byEvents: readonly EventRoom[] } = { irc: [], byEvents: [] };
  #absence: PartReport | null = { state: 'starting' };
  #isKnown = false;
  #failures = 0;
  #settling: Settling | null = null;
  /** Resolves at a stop, once Twitch has had its time to say what must be known before a line is written. */
  readonly #callsEnd = new End();

  constructor(deps: LeasedDeps, { login, clientId, oauth, pace, shares, ...given }: ChatOptions) {
    this.login = login;
    this.#deps = deps;
    this.#pace = pace;
    this.#account = holdChatAccount(deps, { login, oauth });
    this.#provider = new DatabaseAuthProvider(clientId, this.#account.grants, oauth);
    this.#application = openTwitchClient(this.#provider, deps.log, 'application', this.#account.leftMs);
    this.#shared = sharedChats(this.#application, shares);
    this.#ways = lineWays([], this.#shared);
    this.#voice = createVoice({
      ...given,
      log: deps.log,
      mayAnswer: this.#account.mayAnswer,
      ports: () =>
        [this.#session, this.#byEvents?.chat].filter((port) => port !== undefined && port !== null),
      rooms: () => [...this.#wanted.irc, ...this.#wanted.byEvents],
      pin: (channelLogin, messageId) => this.#pin(channelLogin, messageId),
      beforeLine: (channelLogin) => {
        const room = this.#wanted.irc.find(({ login }) => login === channelLogin);
        if (!room || this.#wayInto(room) === 'api') return null;
        return this.#callsEnd.limit(this.#shared.look(room.channelId));
      },
      isHeld: (room) => !('isMade' in room) && this.#isHeld(room),
    });
    this.#holds = sharedHolds({
      rooms: () => this.#wanted.irc,
      wayInto: (room) => this.#wayInto(room),
      look: (channelId) => this.#shared.look(channelId),
      onFault: this.#voice.events.onFault,
      mayAct: () => this.#account.mayAnswer() && !this.#pauses.areOver(),
    });
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#pauses.areOver())
      if (!(await this.#takeAndUse())) await this.#pauses.begin(this.#pace.checkMs);
  }

  /** Takes the account and uses it. Returns false if it is not available. */
  async #takeAndUse(): Promise<boolean> {
    try {
      const taken = await this.#account.take();
      this.#absence = taken.ok ? null : chatAbsences[taken.code];
      this.#isKnown = taken.ok || taken.code !== 'elsewhere';
      // Cleared only now, because what it reads by events outlasts a change of its tokens.
      if (!taken.ok) this.#byEvents = null;
      if (taken.ok && !this.#pauses.areOver()) await this.#use(taken);
      return taken.ok;
    } catch (error) {
      this.#absence = { state: 'faulty', detail: error instanceof TwitchFault ? error.code : 'unavailable' };
      this.#isKnown = false;
      const { code } = twitchFaultOf(error);
      this.#deps.log.warn({ err: error, code }, 'could not connect the chat account');
      return false;
    }
  }

  /** Uses the account until it is lost, or its tokens have changed. */
  async #use(held: Held): Promise<void> {
    const { twitchId, grant } = held;
    const { changes, log } = this.#deps;
    const client = openTwitchClient(this.#provider, log, 'account', this.#account.leftMs);
    this.#pinLine = linePinner(client, twitchId, log);
    let isOver = false;
    this.#ways = lineWays(grant.scopes, this.#shared);
    this.#byEvents = canReadChatByEvents(grant.scopes) ? this.#readByEvents(twitchId) : null;
    const { checkMs, retryMs } = this.#pace;
    const giveUp = () => {
      isOver = true;
      this.#session?.close();
      this.#pauses.cut();
    };
    const renew = async (): Promise<NextDue> => {
      if (!(await this.#account.renew(twitchId))) giveUp();
      return this.#account.renewInMs();
    };
    const check = async (): Promise<NextDue> => {
      if (await this.#account.isCurrent(held)) {
        this.#endMadeHolds();
        // Not awaited, so that a slow answer about one chat keeps no other from its announcements.
        void this.#holds.check();
        await this.#voice.announce();
      } else giveUp();
      // Announcements that found no chat to be written into stay stored, which is no change.
      return checkMs;
    };
    const named = `chat:${this.login}`;
    this.#workers = [
      // Alone, because announcements may wait for Twitch for longer than the lease lasts.
      startWorker({ name: `${named}:lease`, everyMs: RENEW_CHECK_MS, log, run: renew }),
      startWorker({ name: named, everyMs: checkMs, changes, log, run: check }),
    ];
    try {
      while (!isOver && !this.#pauses.areOver()) {
        const end = await this.#connect(held);
        if (end === 'closed') continue;
        if (end === 'loginRefused') {
          isOver = true;
          await this.#account.grants.refresh(twitchId);
        }
        await this.#pauses.begin(Math.min(MAX_PAUSE_MS, retryMs * 1.5 ** (this.#failures - 1)));
      }
    } finally {
      await this.#stopWorkers();
    }
  }

  async #stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  /** Runs one connection to IRC from start to end. */
  async #connect({ twitchId, grant }: Held): Promise<ChatEnd> {
    const startedAtMs = steadyMs();
    const { config, log } = this.#deps;
    const url = config.twitch.ircUrl === null ? null : new URL(config.twitch.ircUrl);
    const opened = openChatSession({
      login: this.login,
      accessToken: grant.accessToken,
      url,
      pace: this.#pace,
      log,
      wayInto: (channelId, isModerator) => this.#ways.wayInto(this.#roomOf(channelId), isModerator),
      mayAnnounce: (channelId, isModerator) => this.#ways.mayAnnounce(this.#roomOf(channelId), isModerator),
      send: this.#doubting(this.#sender(twitchId)),
      onShared: (channelId) => this.#shared.recordShared(channelId),
      ...this.#voice.events,
    });
    this.#session = opened;
    opened.setChannels(this.#wanted.irc);
    const end = await opened.ended;
    this.#session = null;
    if (end === 'closed') return end;
    log.warn({ end }, 'the chat connection ended; reconnecting');
    this.#failures = steadyMs() - startedAtMs > minute ? 1 : this.#failures + 1;
    return end;
  }

  /** A chat that the account is in over IRC; one that it is leaving allows nothing. */
  #roomOf(channelId: string): ChatRoom {
    return this.#wanted.irc.find((room) => room.channelId === channelId) ?? { channelId, login: '' };
  }

  /** Returns how a line may be written into a chat that the account is in over IRC. */
  #wayInto(room: ChatRoom) {
    return this.#ways.wayInto(room, this.#session?.isModerator(room.login) ?? false);
  }

  /**
   * Sends lines into chats that are read over IRC. One that the application's token does not bring there for want of a
   * grant goes over IRC, as long as nobody shares the chat.
   */
  #doubting(send: SendLine): SendLine {
    return async (channelId, line) => {
      const sent = await send(channelId, line);
      if (sent.end !== 'refused' && sent.end !== 'failed') return sent;
      this.#ways.doubt(channelId);
      await this.#shared.look(channelId);
      return { end: 'rerouted' };
    };
  }

  /** Returns whether nothing is written into a chat because it is shared, or was when Twitch last said so. */
  #isHeld(room: ChatRoom): boolean {
    const way = this.#wayInto(room);
    return way === 'held' || (way === 'unknown' && room.fault === 'shared');
  }

  /** Ends the trouble of chats that are read by events by now: their lines stay in their channel. */
  #endMadeHolds(): void {
    for (const room of this.#wanted.byEvents)
      if (room.fault === 'shared' && room.isMade) this.#voice.events.onFault(room.channelId, null);
  }

  #pin(channelLogin: string, messageId: string): void {
    const room = [...this.#wanted.irc, ...this.#wanted.byEvents].find(({ login }) => login === channelLogin);
    if (room && this.isModerator(channelLogin) !== false) void this.#pinLine?.(room.channelId, messageId);
  }

  #sender(twitchId: string): SendLine {
    const send = chatSender(this.#application, twitchId);
    return (...line) => {
      const sending = send(...line);
      this.#underWay.add(sending);
      return sending.finally(() => this.#underWay.delete(sending));
    };
  }

  #readByEvents(twitchId: string) {
    // Fetched before the first line, which would otherwise come late and be too close to the next one.
    this.#provider.getAppAccessToken().catch((error) => {
      this.#deps.log.debug({ code: twitchFaultOf(error).code }, 'could not fetch the application token');
    });
    const send = this.#sender(twitchId);
    const { mayAnnounce } = this.#ways;
    const chat = openEventChat({ twitchId, send, mayAnnounce, log: this.#deps.log, ...this.#voice.events });
    chat.setRooms(this.#wanted.byEvents);
    return { twitchId, chat };
  }

  /** Sets the chats to be in over IRC, and those to be read by events. */
  setRooms(irc: readonly ChatRoom[], eventRooms: readonly EventRoom[]): void {
    this.#wanted = { irc, byEvents: eventRooms };
    this.#session?.setChannels(irc);
    this.#byEvents?.chat.setRooms(eventRooms);
  }

  /** The account's id while it can read chats by events; null if it cannot. */
  readerId(): string | null {
    return this.#byEvents?.twitchId ?? null;
  }

  /**
   * Returns whether this process knows what the account should read; false while another process has the
   * account, or that is unknown.
   */
  isKnown(): boolean {
    return this.#isKnown;
  }

  /** Returns whether the account is in all chats that it should be in over IRC. */
  isInAll(): boolean {
    return this.#wanted.irc.every(({ login }) => this.isIn(login));
  }

  isStarting(): boolean {
    return this.#absence?.state === 'starting';
  }

  /** Takes a line that came as an event. */
  receive(channelId: string, event: unknown, sentAtMs: number): void {
    this.#byEvents?.chat.receive(channelId, event, sentAtMs);
  }

  /** Records that Twitch lets the account read a chat by events. */
  recordJoin(channelId: string): void {
    this.#voice.events.onJoined(channelId);
  }

  /** Returns whether the account is in a chat over IRC. */
  isIn(channelLogin: string): boolean {
    return this.#session?.isIn(channelLogin) ?? false;
  }

  /** Null while unknown: Twitch reports it in chats that the account is in over IRC, or has written into. */
  isModerator(channelLogin: string): boolean | null {
    return this.#session?.isModerator(channelLogin) ?? this.#byEvents?.chat.isModerator(channelLogin) ?? null;
  }

  /** Asks Twitch whether the account's token is still valid. */
  check() {
    return this.#account.check();
  }

  report(): PartReport {
    if (this.#absence) return this.#absence;
    const { irc, byEvents } = this.#wanted;
    const joined = new Set([...(this.#session?.joined() ?? []), ...(this.#byEvents?.chat.joined() ?? [])]);
    const all = new Set([...irc, ...byEvents].map(({ channelId }) => channelId));
    const needsIrc = irc.length > 0 || byEvents.length === 0;
    const isReady = needsIrc ? this.#session?.isReady() : this.#byEvents !== null;
    return { state: isReady ? 'ready' : 'starting', detail: `in ${joined.size} of ${all.size} channels` };
  }

  async #lastLines(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Takes no more announcements, connects no more, and goes on with what is connected until `stop`. */
  settle(): Settling {
    this.#pauses.end();
    this.#voice.settle();
    setTimeout(() => this.#callsEnd.come(), stopTimes.callsMs).unref();
    this.#settling ??= { leftMs: countDown(stopTimes.answersMs), ended: this.#stopWorkers() };
    return this.#settling;
  }

  async stop(): Promise<void> {
    const { leftMs, ended } = this.settle();
    // First, so that nothing more is taken that could not be written.
    await endsWithin(leftMs(), ended);
    this.#voice.stop();
    this.#session?.close();
    await endsWithin(leftMs() + stopTimes.linesMs, this.#lastLines());
    // Before the rest, which may wait for Twitch: that aborts its calls, and another process need not wait for them.
    await this.#account.release();
    await Promise.all([ended, this.#running]);
  }
}

/** Creates interruptible pauses that can be ended for good. */
function createPauses() {
  let over = false;
  let wake = () => {};
  return {
    areOver: () => over,
    begin: (pauseMs: number) =>
      new Promise<void>((resolve) => {
        if (over) return resolve();
        const timer = setTimeout(resolve, pauseMs * (0.9 + Math.random() / 5));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    /** Ends the current pause. */
    cut: () => wake(),
    end(): void {
      over = true;
      wake();
    },
  };
}
