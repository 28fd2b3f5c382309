/** A client's open connection to Steam, through which the world notifies it. */
export type Connection = {
  /** The account's offers changed; `waitingOffers` received ones are open. */
  notify(waitingOffers: number): void;
  /** Ends the session with a result, such as 6 (logged in elsewhere) or 34 (session replaced). */
  kick(result: number): void;
  close(): void;
};

/** The clients connected right now; the only part of the world that does not survive a restart. */
export class Connections {
  readonly #open = new Map<string, Connection>();

  attach(steamId: string, connection: Connection) {
    this.#open.set(steamId, connection);
  }

  /** Ignores a connection that has been replaced by a newer one. */
  detach(steamId: string, connection: Connection) {
    if (this.#open.get(steamId) === connection) this.#open.delete(steamId);
  }

  of(steamId: string): Connection | null {
    return this.#open.get(steamId) ?? null;
  }
}
