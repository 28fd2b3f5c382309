import type tmi from 'tmi.js';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The pause before a JOIN without an answer (renamed or banned channel, busy server) is retried. */
const JOIN_RETRY_MS = minute;

const loginOf = (channel: string) => channel.replace(/^#/, '');

/**
 * Joins and leaves one channel at a time, and leaves a chat at once that turns out to be somebody else's. It
 * does not use tmi.js's promises, which give up before Twitch has answered.
 */
export class JoinQueue {
  #wanted = new Map<string, string>();
  /** Channel ids by login. */
  readonly #joined = new Map<string, string>();
  readonly #shutUntilMs = new Map<string, number>();
  readonly #joinRequestedAtMs = new Map<string, number>();
  #isStarted = false;
  #steppedAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #client: tmi.Client;
  readonly #everyMs: number;
  readonly #onJoined: (channelId: string) => void;

  constructor(client: tmi.Client, everyMs: number, onJoined: (channelId: string) => void) {
    this.#client = client;
    this.#everyMs = everyMs;
    this.#onJoined = onJoined;
    // Twitch sends this after every JOIN, with the channel's id.
    client.on('roomstate', (channel, state) => this.#enter(loginOf(channel), state['room-id']));
    client.on('part', (channel, _login, self) => {
      if (!self) return;
      this.#joined.delete(loginOf(channel));
      this.#schedule();
    });
  }

  joined(): string[] {
    return [...this.#joined.keys()].filter((login) => this.hasJoined(login));
  }

  /** False if the login has passed on to another channel since. */
  hasJoined(login: string): boolean {
    return this.#joined.has(login) && this.#joined.get(login) === this.#wanted.get(login);
  }

  /** Returns whether this is the wanted channel's chat; leaves it if it is not. */
  isIn(login: string, roomId: string | undefined): boolean {
    const isWanted = roomId !== undefined && this.#wanted.get(login) === roomId;
    if (!isWanted) this.#leave(login);
    return isWanted;
  }

  channelIdOf(login: string): string | undefined {
    return this.#wanted.get(login);
  }

  /** Leaves a chat that accepts nothing from us, and does not come back before this time has passed. */
  shut(login: string, forMs: number): void {
    if (this.#joined.has(login)) this.#leave(login);
    this.#shutUntilMs.set(login, steadyMs() + forMs);
    this.#schedule();
  }

  setChannels(rooms: readonly ChatRoom[]): void {
    this.#wanted = new Map(rooms.map(({ login, channelId }) => [login.toLowerCase(), channelId]));
    for (const times of [this.#joinRequestedAtMs, this.#shutUntilMs])
      for (const login of times.keys()) if (!this.#wanted.has(login)) times.delete(login);
    this.#schedule();
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#step();
  }

  stop(): void {
    this.#isStarted = false;
    clearTimeout(this.#timer);
  }

  #enter(login: string, channelId: string | undefined): void {
    if (channelId === undefined || !this.isIn(login, channelId) || this.#joined.get(login) === channelId)
      return;
    this.#joined.set(login, channelId);
    this.#shutUntilMs.delete(login);
    this.#onJoined(channelId);
  }

  #leave(login: string): void {
    this.#joined.delete(login);
    this.#client.part(`#${login}`).catch(() => {});
    this.#schedule();
  }

  #nextToLeave(): string | undefined {
    return [...this.#joined.keys()].find((login) => !this.hasJoined(login));
  }

  #joinDueAtMs(login: string): number {
    const requestedAtMs = this.#joinRequestedAtMs.get(login);
    const retryAtMs = requestedAtMs === undefined ? 0 : requestedAtMs + JOIN_RETRY_MS;
    return Math.max(retryAtMs, this.#shutUntilMs.get(login) ?? 0);
  }

  #nextToJoin(): string | undefined {
    const missing = [...this.#wanted.keys()].filter((login) => !this.#joined.has(login));
    return missing.toSorted((one, other) => this.#joinDueAtMs(one) - this.#joinDueAtMs(other))[0];
  }

  #step(): void {
    this.#steppedAtMs = steadyMs();
    const leaving = this.#nextToLeave();
    if (leaving) this.#leave(leaving);
    const next = this.#nextToJoin();
    if (next && this.#joinDueAtMs(next) <= steadyMs()) {
      this.#joinRequestedAtMs.set(next, steadyMs());
      this.#client.join(`#${next}`).catch(() => {});
    }
    this.#schedule();
  }

  /** Steps again if there is something to do: not while every wanted chat is joined and no other one is. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#isStarted) return;
    const isLeaving = this.#nextToLeave() !== undefined;
    const next = this.#nextToJoin();
    if (!isLeaving && next === undefined) return;
    const dueInMs = isLeaving || next === undefined ? 0 : this.#joinDueAtMs(next) - steadyMs();
    const restMs = this.#steppedAtMs + this.#everyMs - steadyMs();
    this.#timer = setTimeout(() => this.#step(), Math.max(0, dueInMs, restMs));
  }
}
