interface Stay {
  /** Null: not in the chat, or the channel is offline. */
  sinceMs: number | null;
  totalMs: number;
  /** Number of ends of intervals that may have been credited too long. */
  turns: number;
}

/**
 * The time that everybody really watched: in a chat while its channel was live. Its clock excludes leaps,
 * which count for nobody.
 */
export class WatchTruth {
  readonly #nowMs: () => number;
  readonly #live = new Set<string>();
  readonly #present = new Map<string, Set<string>>();
  readonly #stays = new Map<string, Stay>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  isLive = (channelId: string): boolean => this.#live.has(channelId);

  wentLive(channelId: string): void {
    if (this.isLive(channelId)) return;
    this.#live.add(channelId);
    for (const twitchId of this.#chat(channelId)) this.#begin(channelId, twitchId);
  }

  wentOffline(channelId: string): void {
    if (!this.#live.delete(channelId)) return;
    for (const twitchId of this.#chat(channelId)) this.#end(channelId, twitchId);
  }

  joined(channelId: string, twitchId: string): void {
    if (this.#chat(channelId).has(twitchId)) return;
    this.#chat(channelId).add(twitchId);
    this.#begin(channelId, twitchId);
  }

  left(channelId: string, twitchId: string): void {
    if (!this.#chat(channelId).delete(twitchId)) return;
    this.#end(channelId, twitchId);
  }

  /** By channel and viewer id, separated by a space. */
  totals(): Map<string, { seconds: number; turns: number }> {
    return new Map(
      [...this.#stays].map(([key, { sinceMs, totalMs, turns }]) => {
        const goingOnMs = sinceMs === null ? 0 : this.#nowMs() - sinceMs;
        return [key, { seconds: Math.ceil((totalMs + goingOnMs) / 1000), turns }];
      }),
    );
  }

  #chat(channelId: string): Set<string> {
    const chat = this.#present.get(channelId) ?? new Set();
    this.#present.set(channelId, chat);
    return chat;
  }

  #stayOf(channelId: string, twitchId: string): Stay {
    const key = `${channelId} ${twitchId}`;
    const stay = this.#stays.get(key) ?? { sinceMs: null, totalMs: 0, turns: 0 };
    this.#stays.set(key, stay);
    return stay;
  }

  #begin(channelId: string, twitchId: string): void {
    const stay = this.#stayOf(channelId, twitchId);
    stay.turns += 1;
    if (this.isLive(channelId)) stay.sinceMs ??= this.#nowMs();
  }

  #end(channelId: string, twitchId: string): void {
    const stay = this.#stayOf(channelId, twitchId);
    stay.turns += 1;
    if (stay.sinceMs !== null) stay.totalMs += this.#nowMs() - stay.sinceMs;
    stay.sinceMs = null;
  }
}
