/** A program's open connection to Steam, through which the world reaches it. */
export type Connection = {
  /** Something about the account's offers changed; this many of the received ones wait for an answer. */
  notify(waitingOffers: number): void;
  /** Ends the session with a result: 6 logged in elsewhere, 34 session replaced … */
  kick(result: number): void;
  close(): void;
};

/** Who is connected right now; the one part of the world that no restart can keep. */
export class Connections {
  readonly #open = new Map<string, Connection>();

  attach(steamId: string, connection: Connection) {
    this.#open.set(steamId, connection);
  }

  /** A connection that was replaced meanwhile takes nothing with it when it closes. */
  detach(steamId: string, connection: Connection) {
    if (this.#open.get(steamId) === connection) this.#open.delete(steamId);
  }

  of(steamId: string): Connection | null {
    return this.#open.get(steamId) ?? null;
  }
}
