import { randomUUID } from 'node:crypto';
import { ChannelPoints, type RedeemOutcome } from './channel-points.ts';
import { ChatRooms } from './chat-rooms.ts';
import { Faults } from './faults.ts';
import { type ModeratorRole, Moderators } from './moderators.ts';
import { SharedChats } from './shared-chats.ts';
import { Suspensions } from './suspensions.ts';
import { TokenStore } from './token-store.ts';
import {
  type BroadcasterType,
  type ChannelSubscription,
  type ChatLine,
  emptyWorldState,
  type Follow,
  inner,
  type LineOrigin,
  type Stream,
  type Tier,
  type TwitchUser,
  TwitchWorldError,
  type TwitchWorldOptions,
  type WorldEvent,
  type WorldState,
} from './world-state.ts';

/** The whole state of the sandbox's Twitch. The servers expose it; the control panel changes it. */
export class TwitchWorld {
  readonly faults = new Faults();
  readonly sharedChats = new SharedChats();
  readonly pins = new Map<string, { messageId: string; userId: string }>();
  readonly tokens: TokenStore;
  readonly channelPoints: ChannelPoints;
  readonly suspensions: Suspensions;
  readonly moderators: Moderators;
  onChange: () => void;
  readonly now: () => number;
  readonly #rooms: ChatRooms;
  readonly #numbers: Pick<WorldState, 'nextUserNumber' | 'nextStreamNumber' | 'nextChatterNumber'>;
  readonly #users = new Map<string, TwitchUser>();
  readonly #idByLogin = new Map<string, string>();
  readonly #streams = new Map<string, Stream>();
  readonly #lastStreams = new Map<string, Stream>();
  readonly #follows = new Map<string, Map<string, Follow>>();
  readonly #subscriptions = new Map<string, Map<string, ChannelSubscription>>();
  readonly #listeners = new Set<(event: WorldEvent) => void>();

  constructor(options: TwitchWorldOptions, saved: WorldState = emptyWorldState()) {
    this.now = options.now;
    this.onChange = options.onChange ?? (() => {});
    this.#rooms = new ChatRooms(saved, this.now);
    this.moderators = new Moderators(saved, (event) => this.#changed(event));
    const { nextUserNumber, nextStreamNumber, nextChatterNumber } = saved;
    this.#numbers = { nextUserNumber, nextStreamNumber, nextChatterNumber };
    this.tokens = new TokenStore(saved.tokens, () => this.onChange());
    this.channelPoints = new ChannelPoints(saved, (event) => this.#changed(event));
    this.suspensions = new Suspensions(this, saved.suspended, (event) => this.#changed(event));
    for (const user of saved.users) {
      this.#users.set(user.id, structuredClone(user));
      this.#idByLogin.set(user.login, user.id);
    }
    for (const one of saved.streams) this.#streams.set(one.broadcasterId, { ...one });
    for (const one of saved.lastStreams) this.#lastStreams.set(one.broadcasterId, { ...one });
    for (const follow of saved.follows) inner(this.#follows, follow.broadcasterId).set(follow.userId, follow);
    for (const sub of saved.subscriptions) inner(this.#subscriptions, sub.broadcasterId).set(sub.userId, sub);
  }

  /** Restores a world from the result of `toJSON`. */
  static fromJSON(saved: WorldState, options: TwitchWorldOptions): TwitchWorld {
    if (saved.version !== 1) throw new TwitchWorldError('This saved world was written by another version.');
    return new TwitchWorld(options, { ...emptyWorldState(), ...saved });
  }

  toJSON(): WorldState {
    return {
      version: 1,
      ...this.#numbers,
      users: [...this.#users.values()],
      streams: [...this.#streams.values()],
      lastStreams: [...this.#lastStreams.values()],
      ...this.#rooms.toJSON(),
      ...this.moderators.toJSON(),
      follows: [...this.#follows.values()].flatMap((follows) => [...follows.values()]),
      subscriptions: [...this.#subscriptions.values()].flatMap((subs) => [...subs.values()]),
      ...this.channelPoints.toJSON(),
      suspended: this.suspensions.toJSON(),
      tokens: this.tokens.toJSON(),
    };
  }

  /** Subscribes to events. Returns a function that unsubscribes. */
  subscribeToEvents(listener: (event: WorldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // People

  addUser(fields: {
    login: string;
    displayName?: string;
    broadcasterType?: BroadcasterType;
    email?: string;
  }): TwitchUser {
    const login = this.#freeLogin(fields.login);
    const user: TwitchUser = {
      id: String(this.#numbers.nextUserNumber++),
      login,
      displayName: fields.displayName ?? fields.login,
      broadcasterType: fields.broadcasterType ?? '',
      email: fields.email ?? `${login}@example.org`,
      createdAtMs: this.now(),
      channel: { title: '', gameName: '' },
    };
    this.#users.set(user.id, user);
    this.#idByLogin.set(login, user.id);
    this.#changed();
    return user;
  }

  users(): TwitchUser[] {
    return [...this.#users.values()];
  }

  userById(userId: string): TwitchUser | undefined {
    return this.#users.get(userId);
  }

  userByLogin(login: string): TwitchUser | undefined {
    return this.#users.get(this.#idByLogin.get(login.toLowerCase()) ?? '');
  }

  /** Gives a user another login; the id stays, as on Twitch. */
  rename(userId: string, newLogin: string, newDisplayName: string = newLogin): TwitchUser {
    const user = this.#user(userId);
    const login = newLogin.toLowerCase() === user.login ? user.login : this.#freeLogin(newLogin);
    this.#idByLogin.delete(user.login);
    this.#idByLogin.set(login, user.id);
    user.login = login;
    user.displayName = newDisplayName;
    this.#changed();
    return user;
  }

  setBroadcasterType(userId: string, broadcasterType: BroadcasterType): void {
    this.#user(userId).broadcasterType = broadcasterType;
    this.#changed();
  }

  addModerator(broadcasterId: string, userId: string, role: ModeratorRole = 'moderator'): void {
    this.#user(broadcasterId);
    this.#user(userId);
    this.moderators.add(broadcasterId, userId, role);
  }

  removeModerator(broadcasterId: string, userId: string): void {
    this.moderators.remove(broadcasterId, userId);
  }

  isModerator(broadcasterId: string, userId: string): boolean {
    return this.moderators.roleOf(broadcasterId, userId) !== null;
  }

  // Streams

  /**
   * Starts a stream. `sameStream` resumes the last stream under its id, as Twitch does after a short break. For a
   * running stream it only changes title and game.
   */
  goLive(
    broadcasterId: string,
    fields: { title?: string; gameName?: string; sameStream?: boolean; type?: 'live' | 'rerun' } = {},
  ): Stream {
    const user = this.#user(broadcasterId);
    user.channel = {
      title: fields.title ?? user.channel.title,
      gameName: fields.gameName ?? user.channel.gameName,
    };
    const running = this.#streams.get(broadcasterId);
    if (running) {
      Object.assign(running, user.channel);
      this.#changed({ type: 'channelUpdated', broadcasterId });
      return running;
    }
    const last = fields.sameStream ? this.#lastStreams.get(broadcasterId) : undefined;
    const stream: Stream = {
      id: last?.id ?? String(this.#numbers.nextStreamNumber++),
      broadcasterId,
      ...user.channel,
      startedAtMs: last?.startedAtMs ?? this.now(),
      type: fields.type ?? 'live',
    };
    this.#streams.set(broadcasterId, stream);
    this.#changed({ type: 'online', stream });
    return stream;
  }

  /** Ends a stream; `flapping` resumes it at once. With `ended` Twitch only tells of that one's end, late. */
  goOffline(broadcasterId: string, options: { flapping?: boolean; ended?: string } = {}): void {
    const stream = this.#streams.get(broadcasterId);
    if (options.ended) this.#changed({ type: 'offline', broadcasterId, streamId: options.ended });
    if (!stream || options.ended) return;
    this.#streams.delete(broadcasterId);
    this.#lastStreams.set(broadcasterId, stream);
    this.#changed({ type: 'offline', broadcasterId, streamId: stream.id });
    if (options.flapping) this.goLive(broadcasterId, { sameStream: true });
  }

  streamOf(broadcasterId: string): Stream | undefined {
    return this.#streams.get(broadcasterId);
  }

  liveStreams(): Stream[] {
    return [...this.#streams.values()];
  }

  // Chat

  /** Seconds by which Get Chatters lags behind. */
  get chatterLagSeconds(): number {
    return this.#rooms.lagSeconds;
  }

  set chatterLagSeconds(seconds: number) {
    this.#rooms.lagSeconds = seconds;
    this.#changed();
  }

  /** Sets exactly these users as present; all others leave. */
  setChatters(broadcasterId: string, userIds: readonly string[]): void {
    const wanted = new Set(userIds);
    const leaving = this.#rooms.presentIn(broadcasterId).filter((userId) => !wanted.has(userId));
    this.#rooms.leave(broadcasterId, leaving);
    this.joinChat(broadcasterId, userIds);
  }

  joinChat(broadcasterId: string, userIds: readonly string[]): void {
    for (const userId of [broadcasterId, ...userIds]) this.#user(userId);
    this.#rooms.join(broadcasterId, userIds);
    this.#changed();
  }

  /** Adds anonymous viewers to a chat; idle ones come back before new ones are created. */
  addChatters(broadcasterId: string, count: number): TwitchUser[] {
    const busy = this.#rooms.presentAnywhere();
    const isIdle = (user: TwitchUser) => user.login.startsWith('demo_chatter_') && !busy.has(user.id);
    const chatters = this.users().filter(isIdle).slice(0, count);
    while (chatters.length < count) {
      const number = String(this.#numbers.nextChatterNumber++).padStart(5, '0');
      if (!this.userByLogin(`demo_chatter_${number}`))
        chatters.push(
          this.addUser({ login: `demo_chatter_${number}`, displayName: `Demo_Chatter_${number}` }),
        );
    }
    const chatterIds = chatters.map((user) => user.id);
    this.joinChat(broadcasterId, chatterIds);
    return chatters;
  }

  /** Removes these users from a chat; by default everyone who is not connected over IRC. */
  removeChatters(
    broadcasterId: string,
    userIds: readonly string[] = this.#rooms.presentIn(broadcasterId),
  ): void {
    this.#rooms.leave(broadcasterId, userIds);
    this.#changed();
  }

  /** Users that Get Chatters lists: those present as of the lag, and those connected over IRC. */
  chattersOf(broadcasterId: string): TwitchUser[] {
    return this.#rooms.listedIn(broadcasterId).map((userId) => this.#user(userId));
  }

  ircJoined(broadcasterId: string, userId: string): void {
    this.#rooms.connected(broadcasterId, userId);
  }

  ircLeft(broadcasterId: string, userId: string): void {
    this.#rooms.disconnected(broadcasterId, userId);
  }

  /** Writes into a chat as a user, which does not put them on the list of chatters. */
  say(broadcasterId: string, userId: string, text: string, origin: LineOrigin = {}): ChatLine {
    for (const id of [broadcasterId, userId]) this.#user(id);
    const given = { ...this.sharedChats.originOf(broadcasterId), ...origin };
    const line = { id: randomUUID(), broadcasterId, userId, text, sentAtMs: this.now(), ...given };
    this.#rooms.add(line);
    this.#changed({ type: 'said', line });
    const copied = { ...given, sourceLineId: line.id };
    for (const id of this.sharedChats.othersOf(line)) this.say(id, userId, text, copied);
    return line;
  }

  /** A channel's last 1,000 chat lines, oldest first. */
  chatLog(broadcasterId: string): ChatLine[] {
    return this.#rooms.log(broadcasterId);
  }

  // Follows, subscriptions, channel points

  follow(broadcasterId: string, userId: string, followedAtMs: number = this.now()): Follow {
    this.#user(broadcasterId);
    this.#user(userId);
    const follows = inner(this.#follows, broadcasterId);
    const known = follows.get(userId);
    if (known) return known;
    const follow = { broadcasterId, userId, followedAtMs };
    follows.set(userId, follow);
    this.#changed({ type: 'followed', follow });
    return follow;
  }

  unfollow(broadcasterId: string, userId: string): void {
    if (inner(this.#follows, broadcasterId).delete(userId)) this.#changed();
  }

  /** Followers, newest first, as Twitch lists them. */
  followersOf(broadcasterId: string): Follow[] {
    return [...inner(this.#follows, broadcasterId).values()].sort((a, b) => b.followedAtMs - a.followedAtMs);
  }

  followOf(broadcasterId: string, userId: string): Follow | undefined {
    return this.#follows.get(broadcasterId)?.get(userId);
  }

  subscribe(broadcasterId: string, userId: string, tier: Tier = '1000', isGift = false): ChannelSubscription {
    if (this.#user(broadcasterId).broadcasterType === '')
      throw new TwitchWorldError('Only affiliates and partners can have subscribers.');
    this.#user(userId);
    const subscription = { broadcasterId, userId, tier, isGift };
    inner(this.#subscriptions, broadcasterId).set(userId, subscription);
    this.#changed({ type: 'subscribed', subscription });
    if (isGift) this.#changed({ type: 'gifted', broadcasterId, tier, total: 1 });
    return subscription;
  }

  /** Renews a subscription and shares it in chat. */
  resubscribe(broadcasterId: string, userId: string): ChannelSubscription {
    const subscription = this.#subscriptions.get(broadcasterId)?.get(userId);
    if (!subscription) throw new TwitchWorldError('Only a subscriber can subscribe again.');
    this.#changed({ type: 'resubscribed', subscription });
    return subscription;
  }

  unsubscribe(broadcasterId: string, userId: string): void {
    const subscription = this.#subscriptions.get(broadcasterId)?.get(userId);
    if (!subscription) return;
    this.#subscriptions.get(broadcasterId)?.delete(userId);
    this.#changed({ type: 'subscriptionEnded', subscription });
  }

  subscribersOf(broadcasterId: string): ChannelSubscription[] {
    return [...inner(this.#subscriptions, broadcasterId).values()];
  }

  /** Redeems a custom reward for a viewer. */
  redeem(broadcasterId: string, userId: string, rewardId: string, userInput = ''): RedeemOutcome {
    this.#user(userId);
    const stream = this.#streams.get(broadcasterId) ?? this.#lastStreams.get(broadcasterId);
    return this.channelPoints.redeem({
      broadcasterId,
      userId,
      rewardId,
      userInput,
      atMs: this.now(),
      streamStartedAtMs: stream?.startedAtMs ?? 0,
    });
  }

  // Authorization

  /** The user disconnects the application: tokens become invalid and EventSub subscriptions are revoked. */
  revokeAuthorization(userId: string): void {
    this.tokens.revokeUser(userId);
    this.#changed({ type: 'authorizationRevoked', userId });
  }

  /** Expires the access tokens of one user, or all; refreshing still works. */
  expireTokens(userId?: string): void {
    this.tokens.expire(userId);
  }

  #user(userId: string): TwitchUser {
    const user = this.#users.get(userId);
    if (!user) throw new TwitchWorldError(`There is no Twitch user with the id ${userId}.`);
    return user;
  }

  #freeLogin(wanted: string): string {
    const login = wanted.toLowerCase();
    if (!/^[a-z0-9][a-z0-9_]{2,24}$/.test(login))
      throw new TwitchWorldError('A login has 3 to 25 letters, digits or underscores.');
    if (this.#idByLogin.has(login)) throw new TwitchWorldError(`The login ${login} is taken.`);
    return login;
  }

  #changed(event?: WorldEvent): void {
    this.onChange();
    if (event) for (const listener of this.#listeners) listener(event);
  }
}
