import type { ChatLine, ChatterStay } from './world-state.ts';

/** Older lines of a chat are forgotten. */
export const MAX_LINES_PER_CHANNEL = 1000;

/** The people in each chat, and their lines. */
export class ChatRooms {
  /** Seconds by which the list of chatters lags behind. */
  lagSeconds: number;
  readonly #now: () => number;
  readonly #stays = new Map<string, Map<string, ChatterStay>>();
  /** IRC connections per user. Never saved: sockets end with the process. */
  readonly #connections = new Map<string, Map<string, number>>();
  readonly #lines = new Map<string, ChatLine[]>();

  constructor(
    saved: { chatterLagSeconds: number; stays: Record<string, ChatterStay[]>; chat: readonly ChatLine[] },
    now: () => number,
  ) {
    this.#now = now;
    this.lagSeconds = saved.chatterLagSeconds;
    for (const [id, stays] of Object.entries(saved.stays))
      this.#stays.set(id, new Map(stays.map((stay) => [stay.userId, { ...stay }])));
    for (const line of saved.chat) this.#linesOf(line.broadcasterId).push(line);
  }

  toJSON(): { chatterLagSeconds: number; stays: Record<string, ChatterStay[]>; chat: ChatLine[] } {
    const stays: Record<string, ChatterStay[]> = {};
    for (const [id, room] of this.#stays) stays[id] = [...room.values()];
    return {
      chatterLagSeconds: this.lagSeconds,
      stays,
      chat: [...this.#lines.values()].flat(),
    };
  }

  join(broadcasterId: string, userIds: Iterable<string>): void {
    const room = this.#roomOf(broadcasterId);
    for (const userId of userIds) {
      const stay = room.get(userId);
      if (!stay || stay.leftAtMs !== null)
        room.set(userId, { userId, joinedAtMs: this.#now(), leftAtMs: null });
    }
  }

  leave(broadcasterId: string, userIds: Iterable<string>): void {
    const room = this.#roomOf(broadcasterId);
    for (const userId of userIds) {
      const stay = room.get(userId);
      if (stay && stay.leftAtMs === null) stay.leftAtMs = this.#now();
    }
    const deleteBeforeMs = this.#now() - this.lagSeconds * 1000;
    for (const stay of room.values())
      if (stay.leftAtMs !== null && stay.leftAtMs <= deleteBeforeMs) room.delete(stay.userId);
  }

  /** The people who are really present, whatever the list shows; without those connected over IRC. */
  presentIn(broadcasterId: string): string[] {
    const stays = [...this.#roomOf(broadcasterId).values()];
    return stays.filter((stay) => stay.leftAtMs === null).map((stay) => stay.userId);
  }

  presentAnywhere(): Set<string> {
    return new Set([...this.#stays.keys()].flatMap((broadcasterId) => this.presentIn(broadcasterId)));
  }

  /** Users that the list shows: those present as of the lag, and those connected over IRC. */
  listedIn(broadcasterId: string): string[] {
    const asOfMs = this.#now() - this.lagSeconds * 1000;
    const isListed = (stay: ChatterStay) =>
      stay.leftAtMs === null ? this.lagSeconds === 0 || stay.joinedAtMs <= asOfMs : stay.leftAtMs > asOfMs;
    const listed = [...this.#roomOf(broadcasterId).values()].filter(isListed);
    const connected = this.#connections.get(broadcasterId)?.keys() ?? [];
    return [...new Set([...listed.map((stay) => stay.userId), ...connected])];
  }

  connected(broadcasterId: string, userId: string): void {
    const counts = this.#connections.get(broadcasterId) ?? new Map<string, number>();
    this.#connections.set(broadcasterId, counts.set(userId, (counts.get(userId) ?? 0) + 1));
  }

  disconnected(broadcasterId: string, userId: string): void {
    const counts = this.#connections.get(broadcasterId);
    const left = (counts?.get(userId) ?? 0) - 1;
    if (left > 0) counts?.set(userId, left);
    else counts?.delete(userId);
  }

  add(line: ChatLine): void {
    const lines = this.#linesOf(line.broadcasterId);
    lines.push(line);
    if (lines.length > MAX_LINES_PER_CHANNEL) lines.shift();
  }

  log(broadcasterId: string): ChatLine[] {
    return [...this.#linesOf(broadcasterId)];
  }

  #roomOf(broadcasterId: string): Map<string, ChatterStay> {
    const room = this.#stays.get(broadcasterId) ?? new Map<string, ChatterStay>();
    this.#stays.set(broadcasterId, room);
    return room;
  }

  #linesOf(broadcasterId: string): ChatLine[] {
    const lines = this.#lines.get(broadcasterId) ?? [];
    this.#lines.set(broadcasterId, lines);
    return lines;
  }
}
